// Memory of the runtime: a separate mapping, so that it neither disturbs nor depends on the
// target's heap. All C++ allocations of libsched come here through operator new. One thread of the
// target runs at a time and the runtime is never preempted, so there is no lock. Freed blocks are
// kept in lists by size class.
#include "libsched/support/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "libsched/support/check.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

constexpr std::size_t kChunk = 64 << 20;  // address space only, until touched
constexpr std::size_t kHeader = 16;

// Four size classes per doubling waste less memory, and a run touches fewer pages.
constexpr int kClasses = 4 * 36;

struct Places {
  long first, end, more;
};

// Reads before the first write to shared memory: the kernel then maps not only that page but also
// those around it.
void show_around(const void* address) { *static_cast<const volatile char*>(address); }

struct Region {
  long grown = 0;  // bytes beyond the first place
  char* next = nullptr;
  char* end = nullptr;
  char* clean = nullptr;  // up to here memory is zero, except for blocks in use
  void* free_lists[kClasses] = {};

  void grow(std::size_t least);
  void clean_up_to_next() {
    for (; clean < next; clean += kPage) {
      show_around(clean);
      std::memset(clean, 0, kPage);
    }
  }
  char* take(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end - next)) {
      grow(bytes);
    }
    char* memory = next;
    next += bytes;
    clean_up_to_next();
    return memory;
  }
};

// One main arena and one for the runtime stack each.
constexpr Places kPlacesBefore[] = {
    {places::kArena, places::kRuntimeStackArena, places::kMoreArena},
    {places::kRuntimeStackArena, places::kRunMemory, places::kMoreRuntimeStackArena}};
constexpr Places kPlacesOfRun[] = {
    {places::kRunArena, places::kRunMemoryEnd, places::kMoreRunArena},
    {places::kRuntimeStackRunArena, places::kRunArena, places::kMoreRuntimeStackRunArena}};
constinit Region before_run[2];
// Located in the run's own memory.
Region* const of_run = reinterpret_cast<Region*>(places::kRunMemory);
static_assert(2 * sizeof(Region) <= places::kRuntimeStackRunArena - places::kRunMemory);
alignas(kOnBusyPage) constinit bool run_begun = false;
bool shared_by_children = false;
bool used_before = false;  // an earlier run has written to the run's memory

constexpr std::size_t kRunBytes = places::kRunMemoryEnd - places::kRunMemory;

long map_memory(long place, std::size_t bytes, int flags) {
  long address = real::syscall6(SYS_mmap, place, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (address < 0) {
    panic("out of memory");
  }
  return address;
}

void Region::grow(std::size_t least) {
  bool runs = this >= of_run && this < of_run + 2;
  const Places& places = runs ? kPlacesOfRun[this - of_run] : kPlacesBefore[this - before_run];
  auto first = static_cast<std::size_t>(places.end - places.first);
  bool begins = next == nullptr && least <= first;
  std::size_t bytes = begins ? first : std::max(least, kChunk);
  long place = begins ? places.first : places.more + grown;
  next = reinterpret_cast<char*>(map_memory(place, bytes, MAP_PRIVATE));
  end = clean = next + bytes;
  grown += begins ? 0 : static_cast<long>(bytes);
}

// Returns the latest generation.
Region* generation() { return run_begun ? of_run : before_run; }
Region& in_use() { return generation()[static_cast<int>(arena_in_use)]; }

struct SizeClass {
  int number;
  std::size_t bytes;
};

SizeClass size_class(std::size_t least) {
  std::size_t bytes = least <= 32 ? 32 : (least + 15) & ~std::size_t{15};
  auto width = static_cast<int>(std::bit_width(bytes - 1));
  std::size_t step = std::size_t{1} << (width - 3);
  std::size_t steps = (bytes + step - 1) / step;  // 5 to 8
  return {4 * width + static_cast<int>(steps) - 5, steps * step};
}

std::size_t class_bytes(int number) {
  return static_cast<std::size_t>(number % 4 + 5) << (number / 4 - 3);
}

// The header of a block: its size class and its region.
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
  if (header.region != &generation()[0] && header.region != &generation()[1]) {
    return;
  }
  void*& list = header.region->free_lists[header.size_class];
  *static_cast<void**>(block) = list;
  list = block;
}

}  // namespace

void prepare_generation(bool shared) {
  shared_by_children = shared;
  map_memory(places::kRunMemory, kRunBytes,
             MAP_FIXED_NOREPLACE | (shared ? MAP_SHARED : MAP_PRIVATE));
}

void start_generation() {
  run_begun = true;
  show_around(of_run);
  for (int i = 0; i < 2; ++i) {
    new (&of_run[i]) Region;
    of_run[i].next = reinterpret_cast<char*>(kPlacesOfRun[i].first);
    of_run[i].end = reinterpret_cast<char*>(kPlacesOfRun[i].end);
    of_run[i].clean = shared_by_children || used_before ? of_run[i].next : of_run[i].end;
  }
}

void expect_used_generation() { used_before = true; }

std::array<MemorySpan, 4> memory_before_runs() {
  std::array<MemorySpan, 4> spans;
  for (int i = 0; i < 2; ++i) {
    const Region& region = before_run[i];
    auto* first = reinterpret_cast<char*>(kPlacesBefore[i].first);
    auto* more = reinterpret_cast<char*>(kPlacesBefore[i].more);
    if (region.next == nullptr) {
      continue;
    }
    bool grown = region.grown > 0;
    char* end = grown ? reinterpret_cast<char*>(kPlacesBefore[i].end) : region.next;
    spans[2 * i] = {first, static_cast<std::size_t>(end - first)};
    if (grown) {
      spans[2 * i + 1] = {more, static_cast<std::size_t>(region.next - more)};
    }
  }
  return spans;
}

void end_generation() {
  for (int i = 0; i < 2; ++i) {
    Region& region = of_run[i];
    long more = kPlacesOfRun[i].more;
    if (region.grown > 0) {
      real::syscall6(SYS_munmap, more, region.grown);
    }
  }
  used_before = true;
  run_begun = false;
}

void unshare_generation() {
  if (!shared_by_children) {
    return;
  }
  shared_by_children = false;
  // Created elsewhere, then moved to its place.
  long copy = map_memory(places::kMoreRuntimeStackRunArena - kChunk, kRunBytes, MAP_PRIVATE);
  auto copy_of = [&](long place) {
    return reinterpret_cast<void*>(copy + place - places::kRunMemory);
  };
  for (int i = 0; i < 2; ++i) {
    Region& region = of_run[i];
    auto* begin = reinterpret_cast<char*>(kPlacesOfRun[i].first);
    auto* end = reinterpret_cast<char*>(kPlacesOfRun[i].end);
    auto* used = region.end == end ? region.next : end;
    std::memcpy(copy_of(kPlacesOfRun[i].first), begin, static_cast<std::size_t>(used - begin));
    region.clean = region.end;
  }
  std::memcpy(copy_of(places::kRunMemory), of_run, 2 * sizeof(Region));
  long moved = real::syscall6(SYS_mremap, copy, kRunBytes, kRunBytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                              places::kRunMemory);
  RFF_CHECK(moved == places::kRunMemory);
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
  auto inside = [at = reinterpret_cast<std::uint64_t>(block)](
                    std::uint64_t begin, std::uint64_t end) { return at - begin < end - begin; };
  return inside(places::kArena, places::kRunMemoryEnd) ||
         inside(places::kMoreArena, places::kMoreRuntimeStackArena);
}

std::size_t own_block_bytes(const void* block) {
  auto& header = *reinterpret_cast<const Header*>(static_cast<const char*>(block) - kHeader);
  return class_bytes(static_cast<int>(header.size_class)) - kHeader;
}

void* fresh_memory(std::size_t bytes) { return in_use().take((bytes + 15) & ~std::size_t{15}); }

}  // namespace rff

// The linker sends the runtime's uses of operator new and delete here (--wrap, see CMakeLists.txt):
// under their own names libsched exports those of the program (interpose/memory/operators.cc).
extern "C" {
void* __wrap__Znwm(std::size_t n) { return rff::allocate(n); }
void* __wrap__Znam(std::size_t n) { return rff::allocate(n); }
void* __wrap__ZnwmSt11align_val_t(std::size_t n, std::size_t align) {
  // Blocks begin at multiples of 16: skip to the next boundary.
  char* block = static_cast<char*>(rff::allocate(n + 2 * align));
  auto at = (reinterpret_cast<std::uint64_t>(block) + align) & ~(align - 1);
  reinterpret_cast<void**>(at)[-1] = block;
  return reinterpret_cast<void*>(at);
}
void __wrap__ZdlPvSt11align_val_t(void* p, std::size_t) {
  if (p != nullptr) {
    rff::release(static_cast<void**>(p)[-1]);
  }
}
void __wrap__ZdlPvmSt11align_val_t(void* p, std::size_t, std::size_t align) {
  __wrap__ZdlPvSt11align_val_t(p, align);
}
void __wrap__ZdlPv(void* p) { rff::release(p); }
void __wrap__ZdaPv(void* p) { rff::release(p); }
void __wrap__ZdlPvm(void* p, std::size_t) { rff::release(p); }
void __wrap__ZdaPvm(void* p, std::size_t) { rff::release(p); }
}

// Called by libstdc++'s containers when misused. Without these, the library's exception machinery,
// with an emergency pool on the target's heap, would be linked in.
namespace std {
__attribute__((noreturn)) void __throw_length_error(const char* what) {
  rff::panic("length error: ", what);
}
__attribute__((noreturn)) void __throw_logic_error(const char* what) {
  rff::panic("logic error: ", what);
}
__attribute__((noreturn)) void __throw_out_of_range(const char* what) {
  rff::panic("out of range: ", what);
}
__attribute__((noreturn)) void __throw_out_of_range_fmt(const char* what, ...) {
  rff::panic("out of range: ", what);
}
__attribute__((noreturn)) void __throw_bad_alloc() { rff::panic("bad alloc"); }
__attribute__((noreturn)) void __throw_bad_array_new_length() { rff::panic("bad array length"); }
}  // namespace std
extern "C" __attribute__((noreturn)) void __cxa_pure_virtual() { rff::panic("pure virtual call"); }
