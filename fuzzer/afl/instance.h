// One fuzzing instance: connects the fuzzing core to the shared memory of one fork server. The
// caller (plugin.cc) runs the test cases: it asks for the next one and announces each execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fuzzer/afl/exploration_store.h"
#include "fuzzer/afl/plan_exchange.h"
#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/core/pairing.h"

namespace rff {

// The connection to the campaign: sends a report and waits for the reply if there is one.
class CampaignLink {
 public:
  virtual ~CampaignLink() = default;
  virtual void send(const Report& report) = 0;
  virtual Reply ask(const Report& report) = 0;
};

class Instance {
 public:
  Instance(CampaignMemory& campaign, std::uint32_t index, SharedMemory& shared, CampaignLink& link);

  // Returns the bytes of the next test case; empty when the campaign ends. Valid until the next
  // call.
  std::string_view next();

  // Called before every execution. Returns the bytes to run: the same, except for a schedule of
  // another instance. That one refers to the scheduling points of the other instance, so next()
  // returns it later with ours. In its place the last schedule runs again, which the fork server
  // answers from its cache; afl-fuzz, which keeps the pointer for long, sees no new coverage in it.
  std::string_view about_to_run(std::string_view bytes);

  // The last run had new entries in AFL++'s map of reads-from pairs and control flow.
  void found_new_coverage() { new_coverage_ = true; }

  // Call after the last run.
  void finish();

 private:
  void begin();  // called once, when afl-fuzz has made its own first runs
  void launch(Schedule schedule);
  bool claim();    // claims one of the remaining schedules
  void collect();  // processes the run that has just ended, once
  void learn(const RunRecord& run, std::uint64_t number);
  // Measures the time of the search.
  FuzzCore::Verdict report(const RunSummary& summary);
  void publish_tallies();
  void publish_exploration();
  // Writes how far a systematic search is: now and then, or at its end.
  void save_exploration(bool at_end);
  Schedule choose();
  void publish_inputs();
  // For a systematic search with several instances.
  void open_exchange();
  // Learns from others and gives them plans, until there is something to run.
  void exchange_plans();
  void take_runs();
  void learn_from_other(const Schedule* schedule, ReceivedRun& received);
  void add_points();
  std::optional<Schedule> next_not_out();
  bool take_plan();  // returns false when the campaign ends
  void handle_finding(const RunRecord& run, std::uint64_t number);
  void report_lost_run(const RunRecord& run, std::uint64_t number);
  bool killed_by_others(const RunRecord& run) const;
  void handle_unresponsive(std::uint64_t number);
  bool audit_due(std::uint64_t number) const;
  // Writes the current run as a self-contained file and returns its path. Returns an empty path on
  // an error, which has then been reported.
  std::string write_standalone(const std::string& name);
  std::string corpus_folder() const;
  void keep(const Schedule& schedule, std::uint64_t number);
  void trouble(const std::string& text);
  bool stopping() const { return campaign_.stop.load(std::memory_order_relaxed) != 0; }
  // The number of test cases that the fork server has run or found in its cache.
  std::uint64_t answers() const { return shared_.run.sequence + shared_.cache_hits; }
  Report report_of(ReportKind kind, std::uint64_t number) const;

  CampaignMemory& campaign_;
  std::uint32_t index_;
  SharedMemory& shared_;
  CampaignLink& link_;
  InstanceStatus& status_;
  FuzzCore core_;
  std::optional<Pairing> pairs_;           // chooses in place of the core if the input is fuzzed
  std::optional<ExplorationStore> store_;  // of the instance that explores
  std::optional<PlanGiver> giver_;         // of that instance, if there are others
  std::optional<PlanTaker> taker_;         // of the others
  std::optional<Schedule> chosen_;         // to be run next
  std::vector<Tally> published_;           // the tallies that rff-fuzz knows of

  bool began_ = false;
  std::uint32_t points_known_ = 0;   // to the core
  std::optional<Schedule> current_;  // in flight
  std::string current_bytes_;
  bool launched_ = false;
  std::chrono::steady_clock::time_point launched_at_;
  std::uint64_t answers_at_launch_ = 0;
  bool new_coverage_ = false;
  bool own_ = true;               // made by this instance
  std::deque<Schedule> others_;   // made by other instances, to be run
  std::set<std::uint64_t> kept_;  // identities of the schedules in the corpus on disk

  // Known failures by key: confirmed, or the number of times they did not repeat.
  struct Known {
    bool confirmed = false;
    int unstable = 0;
  };
  std::map<std::uint64_t, Known> known_;
};

}  // namespace rff
