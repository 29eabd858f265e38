// The allocator: blocks get names, and reused memory has no history.
#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/checked_heap.h"
#include "libsched/support/arena.h"

namespace rff {
namespace {

using heap::allocated;
using heap::called_by_loader;
using heap::give_up;
using heap::range;
using heap::usable_size;

// While one exists, a sanitizer's notifications about blocks are ignored, since the function that
// asks its allocator records the block itself. Notifications matter for operator new, and for all
// functions of a sanitizer that is linked into the program and so is called first.
class Unheard {
 public:
  Unheard() { ++depth_; }
  ~Unheard() { --depth_; }
  Unheard(const Unheard&) = delete;
  Unheard& operator=(const Unheard&) = delete;
  static bool active() { return depth_ > 0; }

 private:
  alignas(kOnBusyPage) inline static int depth_ = 0;
};
#define RFF_UNHEARD(call) \
  ([&] {                  \
    Unheard guard;        \
    return call;          \
  }())

// LeakSanitizer recognizes blocks of the loader, which are no leaks, by the caller of its
// allocator: no frame of the runtime may be in between.
bool loader_of_sanitized(const void* caller) {
  return runtime != nullptr && runtime->process.sanitizer.keeps_threads() &&
         called_by_loader(caller);
}

bool block_noticed(const void* block) {
  return block != nullptr && controlled() && !InsideRuntime::active();
}

// A block that stays in place keeps its objects and the state of its words; a block that moves is
// read and written.
void* reallocate(void* old, std::size_t size, const void* caller, const void* frame) {
  if (void* block = nullptr; checked_heap::reallocate(old, size, {caller, frame}, &block)) {
    return block;
  }
  if (old == nullptr && checked_heap::makes_blocks(caller)) {
    return checked_heap::allocate({size}, {caller, frame});
  }
  if (is_own_block(old)) {
    void* block = allocated(RFF_UNHEARD(RFF_REAL(malloc)(size)), size, {caller, frame});
    if (block != nullptr) {
      std::memcpy(block, old, std::min(size, own_block_bytes(old)));
      operator delete(old);
    }
    return block;
  }
  if (!block_noticed(old) || size == 0) {
    if (block_noticed(old)) {
      give_up(old, caller, OpKind::kFree);
    }
    return allocated(RFF_UNHEARD(RFF_REAL(realloc)(old, size)), size, {caller, frame});
  }
  std::uint64_t room = usable_size(old);
  std::uint64_t old_size = runtime->run.locations.freed(reinterpret_cast<std::uint64_t>(old));
  std::uint64_t kept = old_size < size ? old_size : size;
  bool is_event = watched() && !called_by_loader(caller);
  if (is_event) {
    range(OpKind::kRead, old, kept, caller);
  }
  give_up(old, caller, OpKind::kWrite);
  void* block = nullptr;
  {
    InsideRuntime guard;
    block = RFF_REAL(realloc)(old, size);
  }
  if (block == nullptr || block == old) {
    if (block != nullptr) {
      heap::renamed(block, size, {caller, frame});
      std::uint64_t grown = usable_size(block);
      if (grown > room) {
        forget_objects(reinterpret_cast<std::uint64_t>(block) + room, grown - room);
        runtime->run.shadow.forget(reinterpret_cast<std::uint64_t>(block) + room, grown - room);
      }
    }
    return block;
  }
  allocated(block, size, {caller, frame});
  if (is_event) {
    range(OpKind::kWrite, block, kept, caller);
  }
  return block;
}

void given(const volatile void* block, std::size_t size) {
  if (!Unheard::active()) {
    allocated(const_cast<void*>(block), size, {RFF_CALLER, nullptr}, heap::size_by_sanitizer);
  }
}

void taken(const volatile void* block) {
  if (!Unheard::active() && block_noticed(const_cast<const void*>(block)) && runtime->run.begun()) {
    give_up(const_cast<const void*>(block), RFF_CALLER, OpKind::kFree);
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

#define RFF_FRAME static_cast<const char*>(__builtin_frame_address(0)) + 16
// Makes the block in the checked heap and returns it, if there is one.
#define RFF_RETURN_CHECKED(...)                                            \
  if (checked_heap::makes_blocks(RFF_CALLER)) [[unlikely]] {               \
    return checked_heap::allocate({__VA_ARGS__}, {RFF_CALLER, RFF_FRAME}); \
  }

RFF_EXPORT void* malloc(std::size_t size) noexcept {
  RFF_RETURN_CHECKED(size)
  if (loader_of_sanitized(RFF_CALLER)) [[unlikely]] {
    return RFF_REAL(malloc)(size);
  }
  return allocated(RFF_UNHEARD(RFF_REAL(malloc)(size)), size, {RFF_CALLER, RFF_FRAME});
}

RFF_EXPORT void* realloc(void* old, std::size_t size) noexcept {
  return reallocate(old, size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void* reallocarray(void* old, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(old, bytes, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (std::has_single_bit(alignment)) {
    RFF_RETURN_CHECKED(size, alignment)
  }
  return allocated(RFF_UNHEARD(RFF_REAL(memalign)(alignment, size)), size, {RFF_CALLER, RFF_FRAME});
}

RFF_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (std::has_single_bit(alignment)) {
    RFF_RETURN_CHECKED(size, alignment)
  }
  return allocated(RFF_UNHEARD(RFF_REAL(aligned_alloc)(alignment, size)), size,
                   {RFF_CALLER, RFF_FRAME});
}

// The C library leaves these two to its own allocator, unseen.
RFF_EXPORT void* valloc(std::size_t size) noexcept {
  RFF_RETURN_CHECKED(size, kPageBytes)
  return allocated(RFF_UNHEARD(RFF_REAL(valloc)(size)), size, {RFF_CALLER, RFF_FRAME});
}

RFF_EXPORT void* pvalloc(std::size_t size) noexcept {
  RFF_RETURN_CHECKED((size + kPageBytes - 1) & ~(kPageBytes - 1), kPageBytes)
  return allocated(RFF_UNHEARD(RFF_REAL(pvalloc)(size)), size, {RFF_CALLER, RFF_FRAME});
}

RFF_EXPORT std::size_t malloc_usable_size(void* block) noexcept { return usable_size(block); }

RFF_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  bool valid = std::has_single_bit(alignment) && alignment % sizeof(void*) == 0;
  if (valid && checked_heap::makes_blocks(RFF_CALLER)) [[unlikely]] {
    int before = errno;
    void* made = checked_heap::allocate({size, alignment}, {RFF_CALLER, RFF_FRAME});
    errno = before;
    *block = made != nullptr ? made : *block;
    return made != nullptr ? 0 : ENOMEM;
  }
  int error = RFF_UNHEARD(RFF_REAL(posix_memalign)(block, alignment, size));
  if (error == 0) {
    allocated(*block, size, {RFF_CALLER, RFF_FRAME});
  }
  return error;
}

// The dynamic linker's lookup of calloc may itself want zeroed memory.
RFF_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
  static void* (*real_calloc)(std::size_t, std::size_t) = nullptr;
  static bool looking = false;
  alignas(16) static char early[4096];
  static std::size_t early_used = 0;
  if (real_calloc == nullptr) {
    if (looking) {
      void* block = early + early_used;
      early_used += (count * size + 15) & ~std::size_t{15};
      RFF_CHECK(early_used <= sizeof early);
      return block;
    }
    looking = true;
    real_calloc = reinterpret_cast<decltype(real_calloc)>(real::next("calloc"));
    looking = false;
  }
  if (known_thread && MakingThread::active() && called_by_loader(RFF_CALLER)) {
    if (void* block = own_block(count * size)) {
      return std::memset(block, 0, count * size);
    }
  }
  if (std::size_t bytes = 0; checked_heap::makes_blocks(RFF_CALLER)) [[unlikely]] {
    if (__builtin_mul_overflow(count, size, &bytes)) {
      errno = ENOMEM;
      return nullptr;
    }
    return checked_heap::allocate({.size = bytes, .zeroed = true}, {RFF_CALLER, RFF_FRAME});
  }
  if (loader_of_sanitized(RFF_CALLER)) [[unlikely]] {
    return real_calloc(count, size);
  }
  return allocated(RFF_UNHEARD(real_calloc(count, size)), count * size, {RFF_CALLER, RFF_FRAME});
}

// A lookup after a failed one frees the last error message; while the C library's `free` is being
// looked up, the message cannot be freed.
RFF_EXPORT void free(void* block) noexcept {
  static void (*real_free)(void*) = nullptr;
  static bool looking = false;
  if (real_free == nullptr && !looking) {
    looking = true;
    real_free = reinterpret_cast<decltype(real_free)>(real::next("free"));
    looking = false;
  }
  if (block == nullptr || real_free == nullptr) {
    return;
  }
  if (is_own_block(block)) {
    operator delete(block);
    return;
  }
  if (checked_heap::release(block, AllocatorFamily::kMalloc, RFF_CALLER)) {
    return;
  }
  if (block_noticed(block) && runtime->run.begun()) {
    give_up(block, RFF_CALLER, OpKind::kFree);
  }
  RFF_UNHEARD(real_free(block));
}

namespace rff {

void watch_sanitizers_heap() { runtime->process.sanitizer.watch_heap(given, taken); }

void check_operators(void* all);

void check_heap() {
  if (HeapBlocks* blocks = runtime->process.checked_blocks) {
    checked_heap::start(*blocks, std::size_t{runtime->process.checks.quarantine} << 20);
    // RTLD_DEFAULT would begin with the runtime itself, which is linked with -Bsymbolic.
    void* all = RFF_REAL(dlopen)(nullptr, RTLD_LAZY);
    check_operators(all);
    // A program's own allocator, linked into it or loaded before the runtime, comes first.
    if (real::lookup(all, "malloc") != reinterpret_cast<void*>(&malloc) &&
        runtime->process.shared != nullptr) {
      runtime->process.shared->unchecked.set("the program has an allocator of its own");
    }
  }
}

// Looks up the C library's functions before anything can fail: a failed dlsym frees its last
// message, and that free must not need a dlsym.
void prime_allocator() {
  heap::find_loader();
  free(realloc(malloc(1), 2));
  free(calloc(1, 1));
  // A program may define wrappers of its own, which look these up at their first call.
  void* all = RFF_REAL(dlopen)(nullptr, RTLD_LAZY);
  auto first_calloc = reinterpret_cast<decltype(&calloc)>(real::lookup(all, "calloc"));
  auto first_free = reinterpret_cast<decltype(&free)>(real::lookup(all, "free"));
  heap::find_allocator(all);
  first_free(first_calloc(1, 1));
}

}  // namespace rff
