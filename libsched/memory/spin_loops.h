// Detects threads that spin (repeat reads without a new value). A write to what they read ends it.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/thread.h"
#include "libsched/memory/thread_memory.h"

namespace rff {

class SpinLoops {
 public:
  // Call when the thread read, or wrote without changing anything.
  void watch(Thread& t, std::uint64_t address, std::uint64_t value, std::uint32_t code);
  // Call when the thread has gone through a long stretch in which nothing changed.
  void idles(Thread& t);
  // Call when the thread made progress.
  void got_somewhere(Thread& t);
  // Call when memory changed: threads that spin on it may go on. Calls released(thread) for each.
  template <typename Released>
  void release(std::uint64_t address, std::uint64_t size, Released released) {
    for (std::size_t i = spinning_.size(); i-- > 0;) {
      Thread& t = *spinning_[i];
      if (spins_on(t.memory->watch, address, size)) {
        got_somewhere(t);
        released(t);
      }
    }
  }

 private:
  static bool spins_on(const SpinWatch& s, std::uint64_t address, std::uint64_t size);
  void spins(Thread& t);

  std::vector<Thread*> spinning_;
};

}  // namespace rff
