/* The functions that clang's -fsanitize-coverage=trace-loads,trace-stores calls: for code that is
 * built with AddressSanitizer, which leaves no room for ThreadSanitizer's callbacks. Atomic
 * accesses come as plain ones, just before they happen. Newer sanitizers have weak ones that do
 * nothing, so the linker takes these only if it is told: -Wl,-u,rff_coverage_callbacks. */
#include <rff/harness.h>

__attribute__((constructor)) static void begin(void) { rff_expect_accesses(); }

const char rff_coverage_callbacks = 1;

#define CALLER __builtin_return_address(0)
#define PLAIN(size)                                                                               \
  void __sanitizer_cov_load##size(void* address) { rff_access(address, size, RFF_READ, CALLER); } \
  void __sanitizer_cov_store##size(void* address) { rff_access(address, size, RFF_WRITE, CALLER); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
