// Detects threads that spin (repeat reads without a new value). A write to what they read ends it.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/thread.h"
#include "libsched/memory/loop_passes.h"
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
  // Looks at the passes of the thread's loops from now on.
  void follow(Thread& t, LoopPasses& passes);
  // Call when the thread is about to repeat a pass of its loop that changed nothing. It spins until
  // some of what it read there changes.
  void waits(Thread& t);
  // Call when thread `by` changed memory: threads that spin on it may go on. Calls released(thread)
  // for each.
  template <typename Released>
  void release(const Thread& by, std::uint64_t address, std::uint64_t size, Released released) {
    for (Thread* t : followed_) {
      if (t != &by) {
        t->memory->passes->changed(address, size);
      }
    }
    for (std::size_t i = spinning_.size(); i-- > 0;) {
      Thread& t = *spinning_[i];
      if (t.spin.waits ? t.memory->passes->released() : spins_on(t.memory->watch, address, size)) {
        got_somewhere(t);
        released(t);
      }
    }
  }

 private:
  static bool spins_on(const SpinWatch& s, std::uint64_t address, std::uint64_t size);
  void spins(Thread& t);

  std::vector<Thread*> spinning_;
  std::vector<Thread*> followed_;
};

}  // namespace rff
