#include "libsched/support/real.h"

#include <initializer_list>

#include "libsched/support/panic.h"

namespace rff::real {

void* real_dlsym() {
  static void* address = nullptr;
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5"}) {
    address = address != nullptr ? address : dlvsym(RTLD_NEXT, "dlsym", version);
  }
  if (address == nullptr) {
    panic("the C library has no function ", "dlsym");
  }
  return address;
}

void* lookup(void* handle, const char* name) {
  return reinterpret_cast<decltype(&dlsym)>(real_dlsym())(handle, name);
}

void* next(const char* name) {
  void* address = lookup(RTLD_NEXT, name);
  if (address == nullptr) {
    panic("the C library has no function ", name);
  }
  return address;
}

}  // namespace rff::real
