// Writes and reads stats.json, the statistics of a campaign, for other programs and for resuming
// it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/campaign/findings.h"
#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/common/exploration_state.h"

namespace rff {

// The yield of one strategy over all instances; see Tally.
struct SearchTally {
  std::string strategy;
  std::uint64_t proposals = 0;
  std::uint64_t new_pairs = 0;
  std::uint64_t new_paths = 0;
  std::uint64_t failures = 0;
  std::uint64_t profiles = 0;
  std::uint64_t blocked = 0;
  bool operator==(const SearchTally&) const = default;
};

struct Stats {
  std::uint64_t schedules = 0;
  double seconds = 0;
  std::uint64_t rf_pairs = 0;
  std::uint64_t rf_combinations = 0;
  std::uint64_t corpus = 0;
  std::uint64_t events = 0;             // sum over all schedules
  std::uint64_t scheduling_points = 0;  // likewise
  double seconds_running = 0;    // sum over all instances: from the start of a run to its result
  double seconds_analyzing = 0;  // likewise: what the search needs to learn and to choose
  std::uint64_t unstable = 0;
  std::uint64_t audited = 0;
  std::uint64_t unresponsive = 0;
  std::uint64_t lost = 0;
  std::vector<std::string> lost_causes;
  std::uint64_t bad_exits = 0;  // runs with a status other than 0 that is not a finding
  std::uint64_t seed = 0;
  std::uint32_t processors = kDefaultProcessors;  // that the program sees
  std::string checks = "none";                    // checks_text
  std::string scheduler;
  std::vector<SearchTally> search;  // by the scheduler's strategies
  std::optional<ExplorationState> systematic;
  std::string carrier;
  std::string target;
  std::vector<std::string> arguments;
  std::vector<std::string> stop_at;  // the chosen stop points, as the user wrote them
  std::optional<int> plain_status;   // of the plain run: see PlainRun::status
  std::optional<double> plain_seconds;
  std::uint32_t schedule_timeout_ms = 0;
  bool exit_is_bug = false;  // a status other than 0 is a finding
  std::vector<std::string> unpatched_modules;
  std::vector<std::string> unmodelled_calls;
  struct Inputs {
    std::string way;  // how the program gets them; empty: they are not fuzzed
    std::uint64_t members = 0, edges = 0, comparisons = 0, discarded = 0;
    std::optional<std::uint64_t> smallest;  // bytes of the smallest that failed
    bool operator==(const Inputs&) const = default;
  } inputs;
  // Runs without a process of their own.
  struct InPlace {
    std::string way;  // how, or why not; empty: not tried
    std::uint64_t runs = 0, retired = 0;
    std::map<int, std::uint64_t> retired_by;  // the system calls after which runs retired
    std::uint64_t disagreements = 0;          // runs that were different in a process of their own
    bool operator==(const InPlace&) const = default;
  } in_place;
  std::uint32_t overflowed = 0;  // OverflowedList: union over all runs
  std::vector<FindingGroup> findings;

  // Runs that served only estimates.
  std::uint64_t profile_schedules() const;
  double per_second() const { return seconds > 0 ? static_cast<double>(schedules) / seconds : 0; }
};

// Adds to the tally of that strategy, which it makes if there is none.
void add_tally(std::vector<SearchTally>& tallies, const SearchTally& more);
// Returns one line with the proposals and the yield of each strategy; empty if there was no
// proposal.
std::string search_line(const std::vector<SearchTally>& tallies);

std::string stats_to_json(const Stats& stats);
std::optional<Stats> stats_from_json(const std::string& text);
// Returns the statistics that the campaign in a folder wrote last; nothing if there are none.
std::optional<Stats> read_stats(const OutputFolder& output);

}  // namespace rff
