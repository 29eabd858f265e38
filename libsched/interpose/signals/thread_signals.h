// The part of a thread's state that belongs to signals; see signals.h.
#pragma once

#include <signal.h>

#include <cstdint>
#include <vector>

namespace rff {

struct ThreadSignals {
  std::uint64_t mask = 0;
  std::uint64_t awaited = 0;
  std::vector<siginfo_t> queue;  // sent to this thread and not yet taken
  stack_t stack = {nullptr, SS_DISABLE, 0};
};

}  // namespace rff
