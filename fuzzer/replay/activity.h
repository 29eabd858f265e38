// Shows the user of rff-replay the progress of long tasks, on standard error.
#pragma once

#include <chrono>
#include <string>

#include "fuzzer/common/status_line.h"

namespace rff {

class Activity {
 public:
  Activity();

  // Sets the text that tick() and say() show from now on.
  void doing(std::string what);
  // Shows the text if nothing was shown for two seconds.
  void tick();
  // Shows the text now.
  void say();
  // Call before printing anything else.
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace rff
