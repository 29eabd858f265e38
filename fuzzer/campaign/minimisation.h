// Explains and shortens findings in the background, one after the other, with rff-replay. The
// reports and the shorter schedule lie beside the schedule that was found, which stays as it is.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzzer/run/child_process.h"

namespace rff {

class Minimisation {
 public:
  struct Settings {
    std::string replay;  // the program
    std::string carrier;
    std::uint64_t max_runs = 0;  // for shortening each finding; 0: nothing is shortened
    std::uint32_t timeout_ms = 0;
  };
  explicit Minimisation(Settings settings) : settings_(std::move(settings)) {}
  ~Minimisation();

  // `folder` of a finding. What it has already is left as it is.
  void add(const std::filesystem::path& folder);
  // Takes in what has ended and starts what is next. Returns what to tell the user.
  std::vector<std::string> advance();
  bool idle() const { return waiting_.empty() && !busy_; }
  // Nothing more is shortened, and what is under way ends soon, with the best so far. Every finding
  // gets its report all the same.
  void hurry();

 private:
  // All are explained before any is shortened, which takes longer and explains it again.
  struct Job {
    std::filesystem::path folder;
    bool shortens = false;
  };
  void start(const Job& job);
  std::vector<std::string> end_job();

  Settings settings_;
  std::deque<Job> waiting_;
  bool busy_ = false;
  bool hurried_ = false;
  ChildProcess process_;
  Job current_;
  int printed_ = -1;  // where it prints
  std::string text_;
};

}  // namespace rff
