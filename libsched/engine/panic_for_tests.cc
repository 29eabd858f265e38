// The one function that the engine leaves to others: how a failed check ends the process.
#include <cstdio>
#include <cstdlib>

#include "libsched/support/check.h"

namespace rff {

void panic(const char* what, const char* detail) {
  std::fprintf(stderr, "%s%s\n", what, detail);
  std::abort();
}

}  // namespace rff
