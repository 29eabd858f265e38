#include "libsched/support/panic.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstring>

#include "libsched/support/real.h"

namespace rff {
namespace {

struct stat error_output = {};

// Returns false if the program has replaced standard error by a file of its own.
bool same_error_output() {
  struct stat now = {};
  return real::syscall6(SYS_fstat, 2, reinterpret_cast<long>(&now)) == 0 &&
         now.st_dev == error_output.st_dev && now.st_ino == error_output.st_ino;
}

}  // namespace

void remember_error_output() {
  real::syscall6(SYS_fstat, 2, reinterpret_cast<long>(&error_output));
}

void panic(const char* what, const char* detail) {
  auto put = [](const char* text) {
    real::syscall6(SYS_write, 2, reinterpret_cast<long>(text),
                   static_cast<long>(std::strlen(text)));
  };
  if (panic_place != nullptr) {
    panic_place->set(what);
    panic_place->append(detail);
  }
  if (same_error_output()) {
    put("libsched: ");
    put(what);
    put(detail);
    put("\n");
  }
  for (;;) {
    real::syscall6(SYS_exit_group, 125);
  }
}

}  // namespace rff
