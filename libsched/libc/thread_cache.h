// The allocator's cache of a thread (tcache), which the C library gives back when a kernel thread
// ends. For fibers we do: the heap must look the same on both carriers.
//
// Its layout is private: it is used only if a real thread's cache looked as expected.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/failure.h"

namespace rff {

// How the allocator's own memory was found damaged.
struct HeapDamage {
  FailureFacts facts;              // with the signal that the C library would end with
  const char* words = "";          // and what it would say
  const void* function = nullptr;  // of the C library that would notice
};

class ThreadCache {
 public:
  // On the inspected thread: finds where in thread-local memory below `fs_base` the cache hangs.
  void inspect(std::uint64_t fs_base, std::size_t tls_bytes);
  // On a thread that is about to end and allocates no more. False if the cache is damaged.
  bool give_back(std::uint64_t fs_base, HeapDamage* damage) const;

 private:
  std::uint64_t below_ = 0;  // distance from the fs base; 0 if not found
};

}  // namespace rff
