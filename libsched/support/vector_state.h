// Vector and floating-point registers of the program, kept while the runtime works on its behalf.
// The runtime's own code avoids them, but the C library functions it calls do not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff {

class VectorState {
 public:
  static constexpr std::size_t kMostBytes = 4096;

  // `area`: bytes() bytes on the caller's stack, at a multiple of 64. As much as the processor
  // needs and no more, or every thread would touch one more page.
  explicit VectorState(void* area) : area_(static_cast<char*>(area)) {
    // The header must be clean for xrstor.
    for (std::size_t i = 512; i < 576; i += 8) {
      *reinterpret_cast<std::uint64_t*>(area_ + i) = 0;
    }
    asm volatile("xsave64 (%0)"
                 :
                 : "r"(area_), "a"(static_cast<std::uint32_t>(mask_)), "d"(0)
                 : "memory");
  }
  ~VectorState() {
    asm volatile("xrstor64 (%0)"
                 :
                 : "r"(area_), "a"(static_cast<std::uint32_t>(mask_)), "d"(0)
                 : "memory");
    // What the C library last had in registers must not be found on the program's stack (aside.h).
    void* low = area_;
    std::size_t words = bytes_ / 8;
    asm volatile("rep stosq" : "+D"(low), "+c"(words) : "a"(0L) : "memory");
  }
  // All zero, but for the control registers.
  static void clear() {
    alignas(64) static char empty[kMostBytes] = {};
    bytes();
    constexpr std::uint32_t kX87 = 1;
    asm volatile("stmxcsr %0" : "=m"(*reinterpret_cast<std::uint32_t*>(empty + 24)));
    asm volatile("xrstor64 (%0)"
                 :
                 : "r"(empty), "a"(static_cast<std::uint32_t>(mask_) & ~kX87), "d"(0)
                 : "memory");
  }
  static std::size_t bytes() {
    if (mask_ == 0) {
      detect();
    }
    return bytes_;
  }
  VectorState(const VectorState&) = delete;
  VectorState& operator=(const VectorState&) = delete;

 private:
  static void detect();
  inline static std::uint64_t mask_ = 0;  // x87, SSE, AVX, AVX-512 as far as the system has them
  inline static std::size_t bytes_ = 0;
  char* area_;
};

// A VectorState for the rest of the function.
#define RFF_KEEP_VECTORS \
  ::rff::VectorState keep(__builtin_alloca_with_align(::rff::VectorState::bytes(), 512))

}  // namespace rff
