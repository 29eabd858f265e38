// Assertions of the runtime, which stay on in release builds. A failed one ends the process with
// one line that cannot be mistaken for a finding.
#pragma once

namespace rff {

[[noreturn]] void panic(const char* what, const char* detail = "");

#define RFF_CHECK(condition)                               \
  do {                                                     \
    if (__builtin_expect(!(condition), 0)) {               \
      ::rff::panic("internal check failed: ", #condition); \
    }                                                      \
  } while (0)

}  // namespace rff
