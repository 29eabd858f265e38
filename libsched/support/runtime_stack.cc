#include "libsched/support/runtime_stack.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"

namespace rff {

void prepare_runtime_stack() {
  constexpr long kPlace = places::kRuntimeStackEnd - places::kRuntimeStackSize;
  long address =
      real::syscall6(SYS_mmap, kPlace, places::kRuntimeStackSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (address != kPlace) {
    panic("no memory for the runtime's own stack");
  }
}

}  // namespace rff
