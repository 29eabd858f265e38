// Memory of the runtime: its own mapping, so that it neither disturbs nor depends on the target's
// heap. All of libsched's C++ allocations come here through operator new. One thread of the target
// runs at a time and the runtime is never preempted, so there is no lock. Freed blocks are kept in
// lists by size class.
#include "libsched/support/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "libsched/support/panic.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::size_t kChunk = places::kArenaChunk;  // address space only, until touched
constexpr std::size_t kHeader = 16;

// Four size classes for every doubling: less is wasted, and a run touches fewer pages.
constexpr int kClasses = 4 * 36;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostReady = 4 << 20;

struct Places {
  long first, more;
};
constexpr Places kPlaces[] = {{places::kArena, places::kMoreArena},
                              {places::kAsideArena, places::kMoreAsideArena}};

struct Region {
  long more = 0;  // bytes beyond the first chunk
  char* next = nullptr;
  char* end = nullptr;
  char* generation = nullptr;  // where it begins
  void* free_lists[kClasses] = {};

  void grow(std::size_t least);
  void start_generation(std::uint64_t last) {
    std::uint64_t begin = (reinterpret_cast<std::uint64_t>(next) + kPage - 1) & ~(kPage - 1);
    if (begin + kMostReady > reinterpret_cast<std::uint64_t>(end)) {
      grow(kChunk);
      begin = reinterpret_cast<std::uint64_t>(next);
    }
    next = generation = reinterpret_cast<char*>(begin);
    for (void*& list : free_lists) {
      list = nullptr;
    }
    std::uint64_t ready = (std::min(last, kMostReady) + kPage - 1) & ~(kPage - 1);
    if (ready > 0) {
      real::populate(begin, ready);
    }
  }
  // Beyond a chunk is more than anybody asks for.
  std::uint32_t used() const { return static_cast<std::uint32_t>(next - generation); }
  char* take(std::size_t bytes) {
    if (next == nullptr || next + bytes > end) {
      grow(bytes);
    }
    char* memory = next;
    next += bytes;
    return memory;
  }
};

// The first on the busy page.
alignas(kPage) constinit Region regions[2];

void Region::grow(std::size_t least) {
  const Places& places = kPlaces[this - regions];
  long place = next == nullptr ? places.first : places.more + more;
  std::size_t bytes = std::max(least, kChunk);
  long address = real::syscall6(SYS_mmap, place, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address < 0) {
    panic("out of memory");
  }
  more += next == nullptr ? 0 : static_cast<long>(bytes);
  next = reinterpret_cast<char*>(address);
  end = next + bytes;
}

Region& in_use() { return regions[static_cast<int>(arena_in_use)]; }

struct SizeClass {
  int number;
  std::size_t bytes;
};

SizeClass size_class(std::size_t least) {
  std::size_t bytes = least <= 32 ? 32 : (least + 15) & ~std::size_t{15};
  int width = std::bit_width(bytes - 1);
  std::size_t step = std::size_t{1} << (width - 3);
  std::size_t steps = (bytes + step - 1) / step;  // 5 to 8
  return {4 * width + static_cast<int>(steps) - 5, steps * step};
}

std::size_t class_bytes(int number) {
  return static_cast<std::size_t>(number % 4 + 5) << (number / 4 - 3);
}

// The header of a block: its size class, and whose it is.
struct Header {
  std::uint64_t size_class;
  Region* region;
};
static_assert(sizeof(Header) == kHeader);

void* allocate(std::size_t bytes) {
  SizeClass klass = size_class(bytes + kHeader);
  RFF_CHECK(klass.number < kClasses);
  Region& region = in_use();
  void*& list = region.free_lists[klass.number];
  if (list != nullptr) {
    void* block = list;
    list = *static_cast<void**>(block);
    return block;
  }
  char* block = region.take(klass.bytes);
  *reinterpret_cast<Header*>(block) = {static_cast<std::uint64_t>(klass.number), &region};
  return block + kHeader;
}

void release(void* block) {
  if (block == nullptr) {
    return;
  }
  auto& header = *reinterpret_cast<Header*>(static_cast<char*>(block) - kHeader);
  if (block < header.region->generation) {
    return;
  }
  void*& list = header.region->free_lists[header.size_class];
  *static_cast<void**>(block) = list;
  list = block;
}

}  // namespace

void start_generation(const OwnMemory& last) {
  for (int i = 0; i < 2; ++i) {
    regions[i].start_generation(last.bytes[i]);
  }
}

void* own_block(std::size_t bytes) {
  UseArena guard(Arena::kMain);
  void* block = allocate(bytes);
  if (!is_own_block(block)) {
    release(block);
    return nullptr;
  }
  return block;
}

bool is_own_block(const void* block) {
  return reinterpret_cast<std::uint64_t>(block) - places::kArena <
         places::kAsideArena - places::kArena;
}

std::size_t own_block_bytes(const void* block) {
  auto& header = *reinterpret_cast<const Header*>(static_cast<const char*>(block) - kHeader);
  return class_bytes(static_cast<int>(header.size_class)) - kHeader;
}

OwnMemory memory_of_generation() { return {{regions[0].used(), regions[1].used()}}; }

void* fresh_memory(std::size_t bytes) { return in_use().take((bytes + 15) & ~std::size_t{15}); }

}  // namespace rff

void* operator new(std::size_t n) { return rff::allocate(n); }
void* operator new[](std::size_t n) { return rff::allocate(n); }
void* operator new(std::size_t n, std::align_val_t a) {
  // Blocks begin at multiples of 16: skip to the next boundary.
  auto align = static_cast<std::size_t>(a);
  char* block = static_cast<char*>(rff::allocate(n + 2 * align));
  auto at = (reinterpret_cast<std::uint64_t>(block) + align) & ~(align - 1);
  reinterpret_cast<void**>(at)[-1] = block;
  return reinterpret_cast<void*>(at);
}
void operator delete(void* p, std::align_val_t) noexcept {
  if (p != nullptr) {
    rff::release(static_cast<void**>(p)[-1]);
  }
}
void operator delete(void* p, std::size_t, std::align_val_t a) noexcept { operator delete(p, a); }
void operator delete(void* p) noexcept { rff::release(p); }
void operator delete[](void* p) noexcept { rff::release(p); }
void operator delete(void* p, std::size_t) noexcept { rff::release(p); }
void operator delete[](void* p, std::size_t) noexcept { rff::release(p); }

// What libstdc++'s containers call when misused: without these the library's exception machinery,
// with an emergency pool on the target's heap, would be linked in.
namespace std {
[[noreturn]] void __throw_length_error(const char* what) { rff::panic("length error: ", what); }
[[noreturn]] void __throw_logic_error(const char* what) { rff::panic("logic error: ", what); }
[[noreturn]] void __throw_out_of_range(const char* what) { rff::panic("out of range: ", what); }
[[noreturn]] void __throw_out_of_range_fmt(const char* what, ...) {
  rff::panic("out of range: ", what);
}
[[noreturn]] void __throw_bad_alloc() { rff::panic("bad alloc"); }
[[noreturn]] void __throw_bad_array_new_length() { rff::panic("bad array length"); }
}  // namespace std
extern "C" [[noreturn]] void __cxa_pure_virtual() { rff::panic("pure virtual call"); }
