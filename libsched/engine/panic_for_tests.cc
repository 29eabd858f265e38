// Defines panic() for the engine's unit tests: a failed check prints its text and ends the process.
#include <cstdio>
#include <cstdlib>

#include "libsched/support/check.h"

namespace rff {

void panic(const char* what, const char* detail) {
  std::fprintf(stderr, "%s%s\n", what, detail);
  std::abort();
}

}  // namespace rff
