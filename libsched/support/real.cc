#include "libsched/support/real.h"

#include "libsched/support/panic.h"

namespace rff::real {

void* next(const char* name) {
  void* address = dlsym(RTLD_NEXT, name);
  if (address == nullptr) {
    panic("the C library has no function ", name);
  }
  return address;
}

}  // namespace rff::real
