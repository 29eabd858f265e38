// The C library's own functions behind the names we interpose, and system calls that no interposer
// sees.
#pragma once

#include <dlfcn.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

namespace rff::real {

// dlsym, which is interposed itself.
void* real_dlsym();
void* lookup(void* handle, const char* name);
// Address of the next definition of `name` after libsched in the search order.
void* next(const char* name);

struct Function {
  const char* name;
  void* address;
};

// RFF_REAL(pthread_create)(…) calls the C library's function; looked up once.
#define RFF_REAL(function)                                                                        \
  ([]() -> decltype(&::function) {                                                                \
    __attribute__((section("rff_real"))) static constinit ::rff::real::Function real_function = { \
        #function, nullptr};                                                                      \
    if (__builtin_expect(real_function.address == nullptr, 0)) {                                  \
      real_function.address = ::rff::real::next(real_function.name);                              \
    }                                                                                             \
    return reinterpret_cast<decltype(&::function)>(real_function.address);                        \
  }())

// All that RFF_REAL may be asked for: what the fork server has looked up, no child has to.
void look_up_all();

// Raw system call: returns the kernel's value, -errno on error, and leaves errno alone.
inline long syscall6(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                     long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Makes fresh pages ready at once, which costs less than a fault for each. Older kernels do
// nothing.
inline void populate(std::uint64_t address, std::uint64_t bytes) {
  constexpr long kPopulateWrite = 23;  // MADV_POPULATE_WRITE, from Linux 5.14 on
  syscall6(SYS_madvise, static_cast<long>(address), static_cast<long>(bytes), kPopulateWrite);
}

}  // namespace rff::real
