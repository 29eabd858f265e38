// Makes heap blocks events of the run, for the plain and for the checked allocator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/event.h"

namespace rff::heap {

// The code that called the allocator, and the stack above it.
struct Caller {
  const void* address;
  const void* frame;
};

// Return how many bytes of a block the program may use; the second for one that a sanitizer's
// allocator has told of.
std::uint64_t usable_size(void* block);
std::uint64_t size_by_sanitizer(void* block);
// Names the block, which has no history. Returns it.
void* allocated(void* block, std::size_t size, const Caller& caller,
                std::uint64_t (*size_of)(void*) = usable_size);
// Names a block that stays in place when it is allocated again.
void renamed(const void* block, std::size_t size, const Caller& caller);
// Records that the content of the block is lost. Returns the block's size, 0 if unknown.
std::uint64_t give_up(const void* block, const void* caller, OpKind op);
void range(OpKind op, const void* block, std::uint64_t size, const void* caller);
// Call once, before the other functions. `all`: a handle of the global scope.
void find_loader();
void find_allocator(void* all);
// Whether the dynamic loader calls: what it does is no event.
bool called_by_loader(const void* caller);

}  // namespace rff::heap
