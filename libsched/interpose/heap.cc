// The allocator: blocks get names, memory given out again is as new.
#include <malloc.h>
#include <stdlib.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

// Whether the instruction before `address` may be a direct call: five bytes, the first 0xe8.
bool follows_call(std::uint64_t address) {
  std::uint64_t at = address - 5;
  std::uint64_t word = 0;
  return probe_word(at & ~std::uint64_t{7}, &word) && ((word >> ((at & 7) * 8)) & 0xff) == 0xe8;
}

// The innermost caller outside system and allocator libraries: the allocator's caller itself, or,
// where that is operator new or another library function, the first return address into a patched
// module (else into the executable) further up the stack.
CodeName allocation_site(const void* return_address, const void* frame) {
  auto named = [](std::uint64_t address) {
    const Module* m = runtime->modules.find(address);
    return m != nullptr && (m->patched != nullptr || m->main);
  };
  auto caller = reinterpret_cast<std::uint64_t>(return_address);
  if (named(caller)) {
    return runtime->modules.name(caller);
  }
  const auto* word = static_cast<const std::uint64_t*>(frame);
  std::uint64_t top = runtime->execution.current().stack_high;
  for (int i = 0; i < 64 && reinterpret_cast<std::uint64_t>(word + i) < top; ++i) {
    std::uint64_t value = word[i];
    if (named(value) && follows_call(value)) {
      return runtime->modules.name(value);
    }
  }
  return runtime->modules.name(caller);
}

void* allocated(void* block, std::size_t size, const void* caller, const void* frame) {
  if (block != nullptr && controlled() && !InsideRuntime::active()) {
    InsideRuntime guard;
    auto address = reinterpret_cast<std::uint64_t>(block);
    Thread& t = runtime->execution.current();
    runtime->accesses.finish_write(t);
    runtime->locations.allocated(address, size, allocation_site(caller, frame), t);
    if (runtime->run_started()) {
      runtime->shadow.forget(address, malloc_usable_size(block));
    }
  }
  return block;
}

}  // namespace
}  // namespace rff

using namespace rff;

#define RFF_FRAME static_cast<const char*>(__builtin_frame_address(0)) + 16

RFF_EXPORT void* malloc(std::size_t size) noexcept {
  return allocated(RFF_REAL(malloc)(size), size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void* realloc(void* old, std::size_t size) noexcept {
  return allocated(RFF_REAL(realloc)(old, size), size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return allocated(RFF_REAL(memalign)(alignment, size), size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return allocated(RFF_REAL(aligned_alloc)(alignment, size), size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  int error = RFF_REAL(posix_memalign)(block, alignment, size);
  if (error == 0) {
    allocated(*block, size, RFF_CALLER, RFF_FRAME);
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
  return allocated(real_calloc(count, size), count * size, RFF_CALLER, RFF_FRAME);
}

RFF_EXPORT void free(void* block) noexcept {
  if (block != nullptr && controlled() && runtime->run_started() && !InsideRuntime::active()) {
    Thread& t = runtime->execution.current();
    runtime->accesses.finish_write(t);
    auto address = reinterpret_cast<std::uint64_t>(block);
    std::uint64_t size = runtime->locations.freed(address);
    if (size > 0 && runtime->execution.live() > 1) {
      runtime->accesses.range(t, OpKind::kWrite, address, size, runtime->code(RFF_CALLER));
      t.unfinished.address = 0;
    }
  }
  RFF_REAL(free)(block);
}

namespace rff {

// Looks the C library's functions up while nothing is wrong yet: a failed dlsym frees its last
// message, and that free must not need a dlsym.
void prime_allocator() {
  free(realloc(malloc(1), 2));
  free(calloc(1, 1));
}

}  // namespace rff
