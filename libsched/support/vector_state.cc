#include "libsched/support/vector_state.h"

#include <cpuid.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "schedule/hash.h"

// Programs mostly use only the sixteen registers that every x86_64 processor has. For them, these
// functions replace xsave and xrstor in a fraction of the time.
extern "C" {
void rff_store_few(void* registers, std::uint32_t* control);
void rff_load_few(const void* registers, const std::uint32_t* control);
}

asm(R"(
  .text
  .hidden rff_store_few
  .hidden rff_load_few
  .globl rff_store_few, rff_load_few
  .type rff_store_few, @function
rff_store_few:
  movaps %xmm0, 0(%rdi)
  movaps %xmm1, 16(%rdi)
  movaps %xmm2, 32(%rdi)
  movaps %xmm3, 48(%rdi)
  movaps %xmm4, 64(%rdi)
  movaps %xmm5, 80(%rdi)
  movaps %xmm6, 96(%rdi)
  movaps %xmm7, 112(%rdi)
  movaps %xmm8, 128(%rdi)
  movaps %xmm9, 144(%rdi)
  movaps %xmm10, 160(%rdi)
  movaps %xmm11, 176(%rdi)
  movaps %xmm12, 192(%rdi)
  movaps %xmm13, 208(%rdi)
  movaps %xmm14, 224(%rdi)
  movaps %xmm15, 240(%rdi)
  stmxcsr (%rsi)
  ret
  .size rff_store_few, . - rff_store_few
  .type rff_load_few, @function
rff_load_few:
  movaps 0(%rdi), %xmm0
  movaps 16(%rdi), %xmm1
  movaps 32(%rdi), %xmm2
  movaps 48(%rdi), %xmm3
  movaps 64(%rdi), %xmm4
  movaps 80(%rdi), %xmm5
  movaps 96(%rdi), %xmm6
  movaps 112(%rdi), %xmm7
  movaps 128(%rdi), %xmm8
  movaps 144(%rdi), %xmm9
  movaps 160(%rdi), %xmm10
  movaps 176(%rdi), %xmm11
  movaps 192(%rdi), %xmm12
  movaps 208(%rdi), %xmm13
  movaps 224(%rdi), %xmm14
  movaps 240(%rdi), %xmm15
  ldmxcsr (%rsi)
  ret
  .size rff_load_few, . - rff_load_few
)");

namespace rff {
namespace {

constexpr std::size_t kLegacy = 512;
constexpr std::size_t kLegacyAndHeader = 576;
constexpr std::size_t kControlOffset = 24;  // of mxcsr
constexpr std::align_val_t kAlignment{64};
constexpr std::uint16_t kX87ControlAfterReset = 0x37f;
constexpr std::size_t kFewBytes = std::size_t{16} * 16;
constexpr std::uint32_t kX87 = 1;
constexpr std::uint32_t kSse = 2;
// x87, SSE, AVX, and the three components of AVX-512.
constexpr std::uint32_t kComponents = 0xe7;

// The components that the processor and the system support.
struct Features {
  std::uint32_t mask = 0;  // 0: not determined yet
  bool compact = false;    // can leave out components that are not in use
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

  // Returns the components to save now (all, if the processor does not say): the rest is in its
  // initial state, and is restored to it.
  std::uint32_t in_use() const {
    if (!compact) {
      return mask;
    }
    std::uint32_t used = 0;
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(used), "=d"(high) : "c"(1));
    return used & mask;
  }
  // Returns the size of the save area for these components.
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

// Initial state after a reset.
struct alignas(64) Untouched {
  std::uint8_t bytes[kLegacyAndHeader] = {};
  constexpr Untouched() {
    bytes[kControlOffset] = 0x80;  // mxcsr
    bytes[kControlOffset + 1] = 0x1f;
  }
};
constexpr Untouched untouched;

void put_back(const void* area, std::uint32_t mask) {
  asm volatile("xrstor64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
}

// Clears everything but the control registers, such as rounding modes.
void clear(std::uint32_t mask) {
  std::uint32_t control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  std::uint16_t x87 = x87_control();
  put_back(&untouched, mask);
  asm volatile("ldmxcsr %0" : : "m"(control));
  if (x87 != kX87ControlAfterReset) {
    asm volatile("fldcw %0" : : "m"(x87));
  }
}

}  // namespace

struct KeptVectors::Area {
  Area* previous;
  std::uint32_t few;      // only the first sixteen registers were in use: they are in `legacy`
  std::uint32_t control;  // mxcsr, if so
  alignas(64) std::uint8_t legacy[kLegacy];
  std::uint64_t header[8];
  // followed by the extended area of xsave
};

void KeptVectors::keep() {
  const Features& f = known_features();
  std::uint32_t components = f.in_use();
  bool few = f.compact && (components & ~kSse) == 0;
  components |= kSse;  // includes mxcsr
  Area* area = few ? std::exchange(spare_, nullptr) : nullptr;
  if (area == nullptr) {
    on_runtime_stack([&] {
      std::size_t bytes = few ? kFewBytes : f.bytes(components);
      area = static_cast<Area*>(operator new(offsetof(Area, legacy) + bytes, kAlignment));
    });
    area->few = few;
  }
  area->previous = latest_;
  latest_ = area;
  if (few) {
    rff_store_few(area->legacy, &area->control);
    return;
  }
  // xrstor requires a clean header.
  for (std::uint64_t& word : area->header) {
    word = 0;
  }
  if (f.compact) {
    asm volatile("xsavec64 (%0)" : : "r"(area->legacy), "a"(components), "d"(0) : "memory");
  } else {
    asm volatile("xsave64 (%0)" : : "r"(area->legacy), "a"(components), "d"(0) : "memory");
  }
  clear(f.mask);
}

void KeptVectors::restore() {
  Area* area = latest_;
  latest_ = area->previous;
  if (area->few) {
    if ((known_features().in_use() & ~kSse) != 0) {
      put_back(&untouched, features.mask);
    }
    rff_load_few(area->legacy, &area->control);
    std::swap(spare_, area);
  } else {
    put_back(area->legacy, known_features().mask);
  }
  operator delete(area, kAlignment);
}

// The processor writes only components in use. One that has its initial content counts as not used,
// since it may or may not be in use then.
std::uint64_t KeptVectors::fingerprint() const {
  constexpr std::size_t kX87Offset = 32, kFewOffset = 160;
  const Features& f = known_features();
  std::uint64_t hash = 0;
  auto add = [&](std::uint32_t component, const std::uint8_t* bytes, std::size_t count) {
    if (std::any_of(bytes, bytes + count, [](std::uint8_t b) { return b != 0; })) {
      hash = hash_combine(hash, component);
      hash = hash_bytes({reinterpret_cast<const char*>(bytes), count}, hash);
    }
  };
  for (const Area* area = latest_; area != nullptr; area = area->previous) {
    if (area->few != 0) {
      hash = hash_combine(hash, area->control);
      add(kSse, area->legacy, kFewBytes);
      continue;
    }
    auto in_use = static_cast<std::uint32_t>(area->header[0]);
    std::uint32_t control = 0;
    std::copy_n(area->legacy + kControlOffset, sizeof control,
                reinterpret_cast<std::uint8_t*>(&control));
    hash = hash_combine(hash, control);
    if ((in_use & kSse) != 0) {
      add(kSse, area->legacy + kFewOffset, kFewBytes);
    }
    if ((in_use & kX87) != 0) {
      bool initial = (area->legacy[0] | area->legacy[1] << 8) == kX87ControlAfterReset;
      std::size_t from = initial ? 2 : 0;
      add(kX87, area->legacy + from, kControlOffset - from);
      add(kX87, area->legacy + kX87Offset, kFewOffset - kX87Offset);
    }
    const std::uint8_t* at = area->legacy + kLegacyAndHeader;
    for (std::uint32_t i = 2; i < 8 && f.compact; ++i) {
      if ((in_use & (1u << i)) != 0) {
        add(1u << i, at, f.component_bytes[i]);
        at += f.component_bytes[i];
      }
    }
    if (!f.compact) {
      add(~0u, at, f.all_bytes - kLegacyAndHeader);
    }
  }
  return hash;
}

bool x87_in_use() { return (known_features().in_use() & kX87) != 0; }

void reset_x87() {
  if (x87_in_use()) {
    put_back(&untouched, kX87);
  }
}

std::uint16_t x87_control() {
  std::uint16_t control = kX87ControlAfterReset;
  if (x87_in_use()) {
    asm volatile("fnstcw %0" : "=m"(control));
  }
  return control;
}

void clear_vectors() { clear(known_features().mask & ~kX87); }

}  // namespace rff
