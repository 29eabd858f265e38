// Threads that repeat reads without a new value are spinning; a write to what they read ends it.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/thread.h"

namespace rff {

class SpinLoops {
 public:
  // The thread read (or wrote without changing anything).
  void watch(Thread& t, std::uint64_t address, std::uint64_t value, std::uint32_t code);
  // The thread has gone through a long stretch in which nothing changed.
  void idles(Thread& t);
  // The thread got somewhere.
  void got_somewhere(Thread& t);
  // Memory changed: those of `threads` that spin on it may go on.
  void release(const std::vector<Thread*>& threads, std::uint64_t address, std::uint64_t size);

  bool any() const { return spinning_ > 0; }

 private:
  std::uint32_t spinning_ = 0;
};

}  // namespace rff
