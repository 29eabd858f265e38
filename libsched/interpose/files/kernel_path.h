// Paths below /proc that contain the number of the process: the program knows another number than
// the kernel.
#pragma once

#include <cstring>
#include <string>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"

namespace rff {

// Translates "/proc/<the number the program knows>/…" to "/proc/self/…". Other paths stay.
class KernelPath {
 public:
  explicit KernelPath(const char* given) : given_(given) {
    static constexpr char kProc[] = "/proc/";
    if (!controlled() || given == nullptr || std::strncmp(given, kProc, sizeof kProc - 1) != 0) {
      return;
    }
    std::string own = kProc + std::to_string(identity::kProcess);
    if (std::strncmp(given, own.c_str(), own.size()) == 0 &&
        (given[own.size()] == 0 || given[own.size()] == '/')) {
      translated_ = std::string("/proc/self") + (given + own.size());
    }
  }
  const char* get() const { return translated_.empty() ? given_ : translated_.c_str(); }

 private:
  const char* given_;
  std::string translated_;
};

}  // namespace rff
