// The runtime's own assertions: one line on standard error, then a death that no one takes for a
// finding.
#pragma once

#include "schedule/shared_memory.h"

namespace rff {

// Where the fuzzer finds it, too: nobody sees the standard error of a run.
inline constinit SharedText<256>* panic_place = nullptr;

[[noreturn]] void panic(const char* what, const char* detail = "");

#define RFF_CHECK(condition)                               \
  do {                                                     \
    if (__builtin_expect(!(condition), 0)) {               \
      ::rff::panic("internal check failed: ", #condition); \
    }                                                      \
  } while (0)

}  // namespace rff
