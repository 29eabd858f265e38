// The memory that rff-fuzz shares with its plug-ins inside afl-fuzz (the plan and the counters of
// the live line), and the format of the messages by which a plug-in reports findings. Both ends
// come from one build, so there is no version.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "fuzzer/common/exploration_file.h"
#include "fuzzer/common/exploration_state.h"
#include "fuzzer/common/shared_id_set.h"
#include "schedule/event.h"
#include "schedule/schedule_file.h"
#include "schedule/search_choice.h"
#include "schedule/shared_memory.h"

namespace rff {

inline constexpr std::uint32_t kMaxInstances = 64;

// Environment variables by which the campaign configures a plug-in.
inline constexpr char kCampaignVariable[] = "RFF_CAMPAIGN";  // path of the CampaignMemory
inline constexpr char kInstanceVariable[] = "RFF_INSTANCE";  // index of the instance
inline constexpr char kSocketVariable[] =
    "RFF_CAMPAIGN_SOCKET";  // descriptor for Reports and Replies

// The yield of one strategy of the search; see Tally.
struct SharedTally {
  SharedText<32> strategy;  // empty: there is none
  std::atomic<std::uint64_t> proposals, new_pairs, new_paths, failures, profiles, blocked;
};

// See ExplorationState. Written by one plug-in.
struct SharedExploration {
  std::atomic<std::uint32_t> present, finished, cut_by_bound, bound;
  std::atomic<std::uint64_t> explored, classes, redundant, reads_from_classes, failing;
  std::atomic<std::uint64_t> millionths_done;
  SharedText<256> reason;
  SharedList<ExplorationState::Step, 64> steps;

  void set(const ExplorationState& s);
  std::optional<ExplorationState> get() const;
};

// Written by one plug-in; rff-fuzz may read it at any time.
struct InstanceStatus {
  std::atomic<std::uint64_t> schedules;     // completed runs
  std::atomic<std::uint64_t> corpus;        // members that this instance found
  std::atomic<std::uint64_t> unresponsive;  // ended by the wall-clock limit
  std::atomic<std::uint64_t> lost;  // died without reporting an outcome, or could not run as asked
  std::atomic<std::uint64_t> bad_exits;  // ended with a status other than 0, no finding
  std::atomic<std::uint64_t> events;     // sums over all runs
  std::atomic<std::uint64_t> scheduling_points;
  std::atomic<std::uint64_t> running_us;    // time from the start of a run until its result
  std::atomic<std::uint64_t> analyzing_us;  // time in which the search learns and chooses
  SharedTally search[12];
  SharedExploration exploration;
  // With fuzzed inputs: members of the corpus of inputs, control flow seen, substitutions that
  // comparisons suggest, runs whose input did not meet assumptions.
  std::atomic<std::uint64_t> inputs, edges, comparisons, discarded;
  std::atomic<std::uint32_t> without_threads;  // runs in which the program created no thread
  std::atomic<std::uint32_t> overflowed;       // OverflowedList: union over all runs
  std::atomic<std::uint32_t> in_flight;        // schedules claimed and not yet completed
  // The number of restarts; written by rff-fuzz.
  std::atomic<std::uint32_t> restarts;
};

struct CampaignMemory {
  // Fixed before the first instance starts.
  std::uint64_t seed;
  SearchChoice search;
  Preemption timeouts;
  bool racing_points;
  bool checks_memory;
  bool exit_is_finding;
  std::uint32_t instances;
  std::uint64_t max_schedules;     // 0: no limit
  std::uint64_t schedules_before;  // schedules of the campaign that this one resumes
  bool until_bug;
  bool audit;
  SharedText<4096> folder;
  ExplorationIdentity identity;     // with a systematic search
  SharedText<256> exchange;         // path of the memory between its instances (PlanChannel)
  SharedText<4096> stop_points;     // a schedule file with the chosen ones; empty: none are
  SharedText<4096> inputs;          // path of an InputPlan; empty: the input is not fuzzed
  SharedText<4096> initial_corpus;  // folder; if empty, the search starts with the empty schedule

  std::atomic<std::uint64_t>
      claimed;  // schedules handed to instances; together they run max_schedules
  std::atomic<std::uint64_t> completed;  // numbers the schedules in order of completion
  std::atomic<std::uint32_t> stop;

  InstanceStatus instance[kMaxInstances];
  SharedIdSet<1 << 20> rf_pairs;  // union over all instances
  SharedIdSet<1 << 22> rf_combinations;
};

enum class ReportKind : std::uint32_t {
  kFinding,       // `path`: the schedule with its finding; a Reply follows
  kSameFinding,   // another run with a failure that is already confirmed
  kAudit,         // `path`: a run to repeat and compare
  kUnresponsive,  // `path`: a schedule whose run did not end, with the positions of its threads
  kLost,          // a run that ended without an outcome; `path`: what is known of it
  kTrouble,       // `path`: a message for the user; the instance stops
};

struct Report {
  ReportKind kind;
  FindingKind finding;
  std::uint32_t instance;
  CodeName place;         // place of the finding, or of the last event of a lost run
  OpKind last_operation;  // of a lost run
  std::int32_t wait_status;
  std::uint64_t key;       // failure_key of the failure
  std::uint64_t schedule;  // number, from 1
  SharedText<1024> path;
};

enum class Reply : std::uint32_t { kConfirmed, kUnstable, kStop };

inline void SharedExploration::set(const ExplorationState& s) {
  explored.store(s.explored);
  classes.store(s.classes);
  redundant.store(s.redundant);
  reads_from_classes.store(s.reads_from_classes);
  failing.store(s.failing);
  millionths_done.store(static_cast<std::uint64_t>(s.part_done * 1e6));
  bound.store(s.bound);
  cut_by_bound.store(s.cut_by_bound ? 1 : 0);
  if (reason.view() != s.reason) {
    reason.set(s.reason);
  }
  for (std::size_t i = steps.size(); i < s.steps.size(); ++i) {
    steps.append(s.steps[i]);
  }
  if (s.steps.empty()) {
    steps.clear();
  }
  present.store(1);
  finished.store(s.finished ? 1 : 0);
}

inline std::optional<ExplorationState> SharedExploration::get() const {
  if (present.load() == 0) {
    return std::nullopt;
  }
  ExplorationState s;
  s.finished = finished.load() != 0;
  s.cut_by_bound = cut_by_bound.load() != 0;
  s.bound = bound.load();
  s.explored = explored.load();
  s.classes = classes.load();
  s.redundant = redundant.load();
  s.reads_from_classes = reads_from_classes.load();
  s.failing = failing.load();
  s.part_done = static_cast<double>(millionths_done.load()) / 1e6;
  s.steps.assign(steps.begin(), steps.end());
  s.reason = reason.view();
  return s;
}

}  // namespace rff
