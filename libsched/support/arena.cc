// Memory of the runtime: its own mapping, so that it neither disturbs nor depends on the target's
// heap. All of libsched's C++ allocations come here through operator new. One thread of the target
// runs at a time and the runtime is never preempted, so there is no lock. Freed blocks are kept in
// lists by size class.
#include "libsched/support/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "libsched/support/panic.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 20;  // address space only, until touched
constexpr std::size_t kHeader = 16;

char* arena_next = nullptr;
char* arena_end = nullptr;
void* free_lists[48];

void grow(std::size_t least) {
  // From a fixed place on, far from where the kernel maps libraries: the runtime's appetite must
  // not move the target's mappings.
  static long place = 0x100000000000;
  std::size_t bytes = least > kChunk ? least : kChunk;
  long address = real::syscall6(SYS_mmap, place, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address < 0) {
    panic("out of memory");
  }
  place = address + static_cast<long>(bytes);
  arena_next = reinterpret_cast<char*>(address);
  arena_end = arena_next + bytes;
}

int size_class(std::size_t bytes) { return bytes <= 32 ? 5 : std::bit_width(bytes - 1); }

void* allocate(std::size_t bytes) {
  int klass = size_class(bytes + kHeader);
  RFF_CHECK(klass < 36);
  void*& list = free_lists[klass];
  if (list != nullptr) {
    void* block = list;
    list = *static_cast<void**>(block);
    return block;
  }
  std::size_t whole = std::size_t{1} << klass;
  if (arena_next == nullptr || arena_next + whole > arena_end) {
    grow(whole);
  }
  char* block = arena_next;
  arena_next += whole;
  *reinterpret_cast<std::uint64_t*>(block) = static_cast<std::uint64_t>(klass);
  return block + kHeader;
}

void release(void* block) {
  if (block == nullptr) {
    return;
  }
  auto klass = *reinterpret_cast<std::uint64_t*>(static_cast<char*>(block) - kHeader);
  *static_cast<void**>(block) = free_lists[klass];
  free_lists[klass] = block;
}

}  // namespace

void* fresh_memory(std::size_t bytes) {
  std::size_t whole = (bytes + 15) & ~std::size_t{15};
  if (arena_next == nullptr || arena_next + whole > arena_end) {
    grow(whole);
  }
  void* memory = arena_next;
  arena_next += whole;
  return memory;
}

}  // namespace rff

void* operator new(std::size_t n) { return rff::allocate(n); }
void* operator new[](std::size_t n) { return rff::allocate(n); }
void* operator new(std::size_t n, std::align_val_t a) {
  // Blocks are powers of two at least as large as their alignment, but for the header: skip to the
  // next boundary.
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
