#include "libsched/support/vector_state.h"

#include <cpuid.h>

#include <algorithm>

#include "libsched/support/panic.h"

namespace rff {

void VectorState::detect() {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  __cpuid(1, a, b, c, d);
  if ((c & (1u << 27)) == 0) {
    panic("this processor or kernel has no xsave");
  }
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  mask_ = low & 0xe7;
  // Other state, for which there would be room too, lies beyond.
  constexpr std::size_t kLegacyAndHeader = 576;
  bytes_ = kLegacyAndHeader;
  for (std::uint32_t component = 2; component < 8; ++component) {
    if ((mask_ & (1u << component)) != 0) {
      __cpuid_count(0xd, component, a, b, c, d);  // size and offset
      bytes_ = std::max(bytes_, static_cast<std::size_t>(a) + b);
    }
  }
  RFF_CHECK(bytes_ <= kMostBytes);
}

}  // namespace rff
