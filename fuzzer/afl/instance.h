// One fuzzing instance: the pure core joined to the shared memory of one fork server. What runs the
// test cases is somebody else: it asks for the next one and says which it is about to run.
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

#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/core/fuzz_core.h"

namespace rff {

// The way to the campaign: sends a report and, where one is due, waits for the reply.
class CampaignLink {
 public:
  virtual ~CampaignLink() = default;
  virtual void send(const Report& report) = 0;
  virtual Reply ask(const Report& report) = 0;
};

class Instance {
 public:
  Instance(CampaignMemory& campaign, std::uint32_t index, SharedMemory& shared, CampaignLink& link);

  // Bytes of the next test case; empty once the campaign is to end. Valid until the next call.
  std::string_view next();

  // Called before every execution, whoever wants it. Returns the bytes to run: the same, except for
  // a schedule that another instance made. That counts on the other's scheduling points, so next()
  // gives it out with ours; in its place what ran last is answered from the fork server's cache,
  // and afl-fuzz (which keeps the pointer for longer than it should) sees nothing new in it.
  std::string_view about_to_run(std::string_view bytes);

  // The fuzzer's map of reads-from pairs and control flow had something new in the last run.
  void found_new_coverage() { new_coverage_ = true; }

  // The last run has come to its end; no more will follow.
  void finish();

 private:
  void launch(Schedule schedule);
  bool claim();    // one of the schedules that may still run
  void collect();  // takes in the run that has just ended, once
  void learn(const RunRecord& run, std::uint64_t number);
  void handle_finding(const RunRecord& run, std::uint64_t number);
  void tell_of_lost_run(const RunRecord& run, std::uint64_t number);
  bool killed_by_others(const RunRecord& run) const;
  void handle_unresponsive(std::uint64_t number);
  bool audit_due(std::uint64_t number) const;
  // The current run as a file that stands alone. Empty on trouble, which has then been reported.
  std::string write_standalone(const std::string& name);
  std::string corpus_folder() const;
  void keep(const Schedule& schedule, std::uint64_t number);
  void trouble(const std::string& text);
  bool stopping() const { return campaign_.stop.load(std::memory_order_relaxed) != 0; }
  Report report_of(ReportKind kind, std::uint64_t number) const;

  CampaignMemory& campaign_;
  std::uint32_t index_;
  SharedMemory& shared_;
  CampaignLink& link_;
  InstanceStatus& status_;
  FuzzCore core_;

  std::uint32_t points_known_ = 0;
  std::optional<Schedule> current_;  // in flight
  std::string current_bytes_;
  bool launched_ = false;
  std::chrono::steady_clock::time_point launched_at_;
  bool new_coverage_ = false;
  bool own_ = true;               // made by this instance
  std::deque<Schedule> others_;   // made by other instances, to be run
  std::set<std::uint64_t> kept_;  // what is in the corpus on disk

  // Failures that are known, by their keys: confirmed, or how often one of them did not repeat.
  struct Known {
    bool confirmed = false;
    int unstable = 0;
  };
  std::map<std::uint64_t, Known> known_;
};

}  // namespace rff
