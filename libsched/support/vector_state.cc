#include "libsched/support/vector_state.h"

#include <cpuid.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "libsched/support/arena.h"
#include "libsched/support/panic.h"

namespace rff {
namespace {

constexpr std::size_t kLegacy = 512;
constexpr std::size_t kLegacyAndHeader = 576;
constexpr std::size_t kControlOffset = 24;  // of mxcsr
constexpr std::align_val_t kAlignment{64};
constexpr std::uint32_t kX87 = 1;
// x87, SSE, AVX, and the three of AVX-512.
constexpr std::uint32_t kComponents = 0xe7;

// What the processor and the system have of it.
struct Features {
  std::uint32_t mask = 0;  // 0: not asked yet
  bool compact = false;    // it can leave out what is not in use
  std::size_t all_bytes = kLegacyAndHeader;
  std::uint16_t component_bytes[8] = {};

  void detect() {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t d = 0;
    __cpuid(1, a, b, c, d);
    if ((c & (1u << 27)) == 0) {
      panic("this processor or kernel has no xsave");
    }
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(mask), "=d"(high) : "c"(0));
    mask &= kComponents;
    for (std::uint32_t i = 2; i < 8; ++i) {
      if ((mask & (1u << i)) != 0) {
        __cpuid_count(0xd, i, a, b, c, d);  // size and offset
        all_bytes = std::max(all_bytes, static_cast<std::size_t>(a) + b);
        component_bytes[i] = static_cast<std::uint16_t>((a + 63) & ~63u);
      }
    }
    __cpuid_count(0xd, 1, a, b, c, d);
    constexpr std::uint32_t kXsavec = 1 << 1;
    constexpr std::uint32_t kInUse = 1 << 2;
    compact = (a & kXsavec) != 0 && (a & kInUse) != 0;
  }

  // What has to be saved now: the rest is as after a reset, and so it will be restored.
  std::uint32_t in_use() const {
    if (!compact) {
      return mask;
    }
    std::uint32_t used = 0;
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(used), "=d"(high) : "c"(1));
    return used & mask;
  }
  // How many bytes that takes.
  std::size_t bytes(std::uint32_t components) const {
    if (!compact) {
      return all_bytes;
    }
    std::size_t sum = kLegacyAndHeader;
    for (std::uint32_t i = 2; i < 8; ++i) {
      sum += (components & (1u << i)) != 0 ? component_bytes[i] : 0;
    }
    return sum;
  }
};

constinit Features features;

const Features& known_features() {
  if (features.mask == 0) {
    features.detect();
  }
  return features;
}

void put_back(const void* area, std::uint32_t mask) {
  asm volatile("xrstor64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
}

}  // namespace

struct KeptVectors::Area {
  Area* previous;
  alignas(64) std::uint8_t legacy[kLegacy];
  std::uint64_t header[8];
  // what the processor puts behind them
};

void KeptVectors::keep() {
  const Features& f = known_features();
  std::uint32_t components = f.in_use();
  std::size_t bytes = offsetof(Area, legacy) + f.bytes(components);
  UseArena guard(Arena::kAside);
  auto* area = static_cast<Area*>(operator new(bytes, kAlignment));
  area->previous = latest_;
  latest_ = area;
  // xrstor wants it clean.
  for (std::uint64_t& word : area->header) {
    word = 0;
  }
  if (f.compact) {
    asm volatile("xsavec64 (%0)" : : "r"(area->legacy), "a"(components), "d"(0) : "memory");
  } else {
    asm volatile("xsave64 (%0)" : : "r"(area->legacy), "a"(components), "d"(0) : "memory");
  }
}

void KeptVectors::restore() {
  Area* area = latest_;
  latest_ = area->previous;
  put_back(area->legacy, known_features().mask);
  operator delete(area, kAlignment);
}

void clear_vectors() {
  struct alignas(64) Area {
    std::uint8_t bytes[kLegacyAndHeader] = {};
    constexpr Area() {
      bytes[kControlOffset] = 0x80;  // mxcsr as it is after a reset
      bytes[kControlOffset + 1] = 0x1f;
    }
  };
  static constexpr Area empty;
  std::uint32_t control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  put_back(&empty, known_features().mask & ~kX87);
  asm volatile("ldmxcsr %0" : : "m"(control));
}

}  // namespace rff
