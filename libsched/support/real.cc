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

namespace {

// A plug-in may have brought its C++ library for itself alone. The library stays loaded.
void* in_cxx_library(const char* name) {
  auto open = reinterpret_cast<decltype(&dlopen)>(lookup(RTLD_NEXT, "dlopen"));
  for (const char* library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"}) {
    void* loaded = open(library, RTLD_LAZY | RTLD_NOLOAD);
    if (void* address = loaded != nullptr ? lookup(loaded, name) : nullptr; address != nullptr) {
      return address;
    }
  }
  return nullptr;
}

}  // namespace

void* next(const char* name) {
  void* address = lookup(RTLD_NEXT, name);
  address = address != nullptr ? address : in_cxx_library(name);
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
