// What the user sees while it runs: one live line on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "fuzzer/campaign/stats.h"

namespace rff {

class Progress {
 public:
  enum class Mode { kLive, kLines, kSilent };
  explicit Progress(Mode mode) : mode_(mode) {}

  // Prints the line if one is due.
  void show(const Stats& stats);
  // Prints a message above the live line.
  void say(const std::string& text);
  // No more lines.
  void end();

 private:
  Mode mode_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point last_{};
};

std::string progress_line(const Stats& stats);
// "1 schedule", "2 schedules".
std::string counted(std::uint64_t number, const std::string& noun);

}  // namespace rff
