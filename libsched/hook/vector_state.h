// Vector and floating-point registers of the program, kept while the runtime works on its behalf.
// The runtime's own code avoids them, but the C library functions it calls do not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff {

class VectorState {
 public:
  static constexpr std::size_t kMostBytes = 4096;

  VectorState() {
    if (mask_ == 0) {
      detect();
    }
    // The header must be clean for xrstor.
    for (std::size_t i = 512; i < 576; i += 8) {
      *reinterpret_cast<std::uint64_t*>(area_ + i) = 0;
    }
    asm volatile("xsave64 %0" : "=m"(area_) : "a"(static_cast<std::uint32_t>(mask_)), "d"(0));
  }
  ~VectorState() {
    asm volatile("xrstor64 %0" : : "m"(area_), "a"(static_cast<std::uint32_t>(mask_)), "d"(0));
  }
  VectorState(const VectorState&) = delete;
  VectorState& operator=(const VectorState&) = delete;

 private:
  static void detect();
  inline static std::uint64_t mask_ = 0;  // x87, SSE, AVX, AVX-512 as far as the system has them
  alignas(64) char area_[kMostBytes];
};

}  // namespace rff
