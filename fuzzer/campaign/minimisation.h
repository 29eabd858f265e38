// Shortens findings in the background, one after the other, with rff-replay --minimize. The result
// lies beside the schedule that was found, which stays as it is.
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
    std::uint64_t max_runs = 0;  // for each finding; 0: nothing is minimised
    std::uint32_t timeout_ms = 0;
  };
  explicit Minimisation(Settings settings) : settings_(std::move(settings)) {}
  ~Minimisation();

  // `folder` of a finding. One that has a minimised schedule already is left as it is.
  void add(const std::filesystem::path& folder);
  // Takes in what has ended and starts what is next. Returns what to tell the user.
  std::vector<std::string> advance();
  bool idle() const { return waiting_.empty() && !busy_; }
  // Nothing more is started, and what is under way ends soon, with the best so far.
  void hurry();

 private:
  void start(const std::filesystem::path& folder);

  Settings settings_;
  std::deque<std::filesystem::path> waiting_;
  bool busy_ = false;
  bool hurried_ = false;
  ChildProcess process_;
  std::filesystem::path current_;
  int printed_ = -1;  // where it prints
  std::string text_;
};

}  // namespace rff
