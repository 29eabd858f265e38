// Explains and minimizes findings in the background, one at a time, with rff-replay. The reports
// and the minimized schedule are written beside the found schedule, which does not change.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzzer/run/child_process.h"

namespace rff {

class Minimization {
 public:
  struct Settings {
    std::string replay;  // path of rff-replay
    std::string carrier;
    std::uint64_t max_runs = 0;  // for each finding; 0: do not minimize
    std::uint32_t timeout_ms = 0;
  };
  explicit Minimization(Settings settings) : settings_(std::move(settings)) {}
  ~Minimization();

  // Sets the time after which a replayed run is unresponsive. Call before the first finding.
  void set_timeout(std::uint32_t ms) { settings_.timeout_ms = ms; }
  // Adds the folder of a finding. Existing results are kept.
  void add(const std::filesystem::path& folder);
  // Collects the results of finished jobs and starts the next one. Returns messages for the user.
  std::vector<std::string> advance();
  bool idle() const { return waiting_.empty() && !busy_; }
  // Stops minimizing: the current job ends soon with the best result so far. Every finding still
  // gets its report.
  void finish_soon();

 private:
  // All findings are explained before any is minimized, which takes longer and explains it again.
  struct Job {
    std::filesystem::path folder;
    bool shortens = false;
  };
  void start(const Job& job);
  std::vector<std::string> end_job();

  Settings settings_;
  std::deque<Job> waiting_;
  bool busy_ = false;
  bool finishing_soon_ = false;
  ChildProcess process_;
  Job current_;
  int printed_ = -1;  // output of the current job
  std::string text_;
};

}  // namespace rff
