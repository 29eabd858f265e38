// Tells the user of rff-replay what takes long, on standard error.
#pragma once

#include <chrono>
#include <string>

#include "fuzzer/common/status_line.h"

namespace rff {

class Activity {
 public:
  Activity();

  // Sets what tick() and say() show from now on.
  void doing(std::string what);
  // Shows it if nothing was shown for two seconds.
  void tick();
  // Shows it now.
  void say();
  // To be called before anything else is printed.
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace rff
