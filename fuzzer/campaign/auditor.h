// Repeats schedules in the background and compares: is a run really a function of its file?
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
    std::string divergence;  // empty: it repeated
  };

  explicit Auditor(Runner::Settings settings);
  ~Auditor() { stop(); }

  // `schedule` with the run to compare with as its finding.
  void add(Schedule schedule, std::uint64_t number);
  std::vector<Verdict> take_verdicts();
  bool idle();
  void stop();  // gives up what is still to do

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
  std::thread thread_;
};

}  // namespace rff
