// The campaign in one line, on standard output, while it runs.
#pragma once

#include <string>

#include "fuzzer/campaign/stats.h"
#include "fuzzer/common/status_line.h"

namespace rff {

class Progress {
 public:
  using Mode = StatusLine::Mode;
  explicit Progress(Mode mode);

  // Prints the line if one is due.
  void show(const Stats& stats);
  // Prints a message above the live line.
  void say(const std::string& text) { line_.say(text); }
  // No more lines.
  void end() { line_.clear(); }

 private:
  StatusLine line_;
};

std::string progress_line(const Stats& stats);

}  // namespace rff
