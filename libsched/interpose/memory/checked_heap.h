// The allocator with --check memory: redzones around each block, a quarantine for freed ones, and a
// table that says who owns what. The C library's allocator stays below.
#pragma once

#include <cstddef>

#include "libsched/interpose/memory/heap_events.h"
#include "libsched/memory/heap_blocks.h"

namespace rff::checked_heap {

// Begins to check. Call once, before the program has allocated anything.
void start(HeapBlocks& blocks, std::size_t quarantine_bytes);

// Whether blocks for this caller are made here.
bool makes_blocks(const void* caller);

struct Request {
  std::size_t size;
  std::size_t alignment = 16;  // a power of two
  bool zeroed = false;
  AllocatorFamily family = AllocatorFamily::kMalloc;
};
// Returns null and sets errno if there is no memory. Requires: makes_blocks().
void* allocate(const Request& request, const heap::Caller& caller);

// Frees the block if it was made here. Returns false if it was not, and reports an error if it
// cannot be a block of anybody.
bool release(void* block, AllocatorFamily family, const void* caller);

// Returns false if the block was not made here. The new one is in `result`, null without memory.
bool reallocate(void* old, std::size_t size, const heap::Caller& caller, void** result);

// Returns false if the block was not made here.
bool size_of(const void* block, std::size_t* size);

}  // namespace rff::checked_heap
