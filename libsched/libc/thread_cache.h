// The allocator's per-thread cache (tcache). The C library frees it when a kernel thread ends; this
// does so for fibers, since the heap must be the same on both carriers.
//
// Its layout is private: it is used only if a real thread's cache looks as expected.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/failure.h"

namespace rff {

// Damage found in the allocator's own memory.
struct HeapDamage {
  FailureFacts facts;              // with the signal by which the C library would end the program
  const char* words = "";          // the C library's message
  const void* function = nullptr;  // the C library's function that would notice
};

class ThreadCache {
 public:
  // Call on the inspected thread. Finds the pointer to the cache in thread-local memory below
  // `fs_base`.
  void inspect(std::uint64_t fs_base, std::size_t tls_bytes);
  // Call on a thread that is about to end and allocates nothing afterwards. Returns false if the
  // cache is damaged.
  bool give_back(std::uint64_t fs_base, HeapDamage* damage) const;

 private:
  std::uint64_t below_ = 0;  // distance from the fs base; 0 if not found
};

}  // namespace rff
