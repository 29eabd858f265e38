#include "libsched/support/aside.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "libsched/support/arena.h"
#include "libsched/support/panic.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr long kSize = 1 << 20;
constexpr long kPlace = 0x1f0000000000;

bool now_aside = false;

}  // namespace

bool is_aside() { return now_aside; }

void begin_aside() {
  now_aside = true;
  use_arena(Arena::kAside);
}

void end_aside() {
  now_aside = false;
  use_arena(Arena::kMain);
}

void* aside_stack() {
  static char* top = nullptr;
  if (top == nullptr) {
    long address = real::syscall6(SYS_mmap, kPlace, kSize, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address < 0) {
      panic("out of memory");
    }
    top = reinterpret_cast<char*>(address) + kSize;
  }
  return top;
}

}  // namespace rff
