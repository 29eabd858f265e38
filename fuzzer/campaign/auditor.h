// Repeats schedules in a background thread and compares the runs, to check that a run depends only
// on its schedule file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fuzzer/run/runner.h"

namespace rff {

class Auditor {
 public:
  struct Verdict {
    Schedule schedule;
    std::uint64_t number = 0;
    std::string divergence;  // empty if the runs are equal
  };

  explicit Auditor(Runner::Settings settings);
  ~Auditor() { stop(); }

  // Adds a schedule. Its finding is the run to compare with.
  void add(Schedule schedule, std::uint64_t number);
  std::vector<Verdict> take_verdicts();
  bool idle();
  void stop();  // drops the remaining jobs

 private:
  struct Job {
    Schedule schedule;
    std::uint64_t number;
  };
  void work();

  std::atomic<bool> cancel_{false};
  Runner runner_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::vector<Verdict> verdicts_;
  bool busy_ = false;
  int named_ = 0;  // differences whose value was looked for
  std::thread thread_;
};

}  // namespace rff
