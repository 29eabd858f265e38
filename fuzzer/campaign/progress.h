// Shows the progress of a campaign on standard output in one line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fuzzer/campaign/stats.h"
#include "fuzzer/common/status_line.h"

namespace rff {

// Facts that the live line shows besides the statistics.
struct ProgressFacts {
  double seconds_without_new_pair = 0;
  std::uint64_t schedules_left = 0;  // 0: no limit
  double seconds_left = 0;           // 0: no limit
};

class Progress {
 public:
  using Mode = StatusLine::Mode;
  // Takes the limits of the campaign; 0: none.
  Progress(Mode mode, std::uint64_t max_schedules, double max_seconds);

  // Prints the line if it is due. `before` holds the statistics of the resumed campaign.
  void show(const Stats& stats, const Stats& before);
  // Prints a message above the live line.
  void say(const std::string& text) { line_.say(text); }
  // Returns the text with its first `word` in color, if standard output is a terminal with color.
  std::string highlighted(const std::string& text, const std::string& word) const;
  // Removes the live line. Call at the end.
  void end() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  StatusLine line_;
  bool color_;
  std::uint64_t max_schedules_;
  double max_seconds_;
  std::uint64_t pairs_ = 0;
  Clock::time_point new_pair_at_ = Clock::now();
};

std::string progress_line(const Stats& stats, const ProgressFacts& facts);

}  // namespace rff
