#include "libsched/support/real.h"

#include <initializer_list>

#include "libsched/support/check.h"

// Defined by the linker.
extern "C" __attribute__((visibility("hidden"))) rff::real::Function __start_rff_real[],
    __stop_rff_real[];

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

void look_up_all() {
  for (Function* f = __start_rff_real; f != __stop_rff_real; ++f) {
    if (f->address == nullptr) {
      f->address = lookup(RTLD_NEXT, f->name);
    }
  }
}

}  // namespace rff::real
