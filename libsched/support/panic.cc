#include "libsched/support/panic.h"

#include <sys/syscall.h>

#include <cstring>

#include "libsched/support/real.h"

namespace rff {

void panic(const char* what, const char* detail) {
  auto put = [](const char* text) {
    real::syscall6(SYS_write, 2, reinterpret_cast<long>(text),
                   static_cast<long>(std::strlen(text)));
  };
  if (panic_place != nullptr) {
    panic_place->set(what);
    panic_place->append(detail);
  }
  put("libsched: ");
  put(what);
  put(detail);
  put("\n");
  for (;;) {
    real::syscall6(SYS_exit_group, 125);
  }
}

}  // namespace rff
