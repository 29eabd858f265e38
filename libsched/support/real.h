// The C library's own functions behind the interposed names, and system calls that no interposer
// sees.
#pragma once

#include <dlfcn.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

namespace rff::real {

// Returns the real dlsym, which is interposed itself.
void* real_dlsym();
void* lookup(void* handle, const char* name);
// Returns the next definition of `name` after libsched in the search order.
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

// RFF_REAL_IF_KNOWN(clock_gettime) is null until look_up_all. For what an allocator asks: looking up
// frees memory, so it may come from there, and would free the same again.
#define RFF_REAL_IF_KNOWN(function)                                                               \
  ([]() -> decltype(&::function) {                                                                \
    __attribute__((section("rff_real"))) static constinit ::rff::real::Function real_function = { \
        #function, nullptr};                                                                      \
    return reinterpret_cast<decltype(&::function)>(real_function.address);                        \
  }())

// Looks up everything that RFF_REAL may be asked for, so that no child of the fork server has to.
void look_up_all();

// Raw system call: returns the kernel's value, -errno on error, and does not change errno.
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

// Maps fresh pages at once, which costs less than a fault for each. No effect on older kernels.
inline void populate(std::uint64_t address, std::uint64_t bytes) {
  constexpr long kPopulateWrite = 23;  // MADV_POPULATE_WRITE, since Linux 5.14
  syscall6(SYS_madvise, static_cast<long>(address), static_cast<long>(bytes), kPopulateWrite);
}

}  // namespace rff::real
