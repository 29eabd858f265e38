#include "libsched/report/thread_stack.h"

#include <iterator>

#include "libsched/carrier/carried_thread.h"
#include "libsched/engine/thread.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/vector_state.h"

namespace rff {

std::size_t ThreadStack::frames(std::uint64_t* frames, std::size_t most) {
  static StopContext here;
  static KeptVectors kept;  // the unwinder uses vector registers, which the program may be using
  static std::size_t count;
  capture(here);
  on_runtime_stack(
      [&] { keeping_vectors(kept, [&] { count = walk_stack(modules_, here, frames, most); }); });
  return count;
}

bool ThreadStack::made_here(const Thread& t) { return t.carried->stack.mapping != 0; }

std::uint64_t ThreadStack::lowest_frame(const Thread& t) {
  static StopContext here;
  static KeptVectors kept;
  static std::uint64_t lowest;
  Lowest& found = found_[t.index % std::size(found_)];
  if (found.thread != &t || found.stops != t.carried->stops) {
    here = t.carried->stop;
    lowest = 0;
    if (here.rip != 0) {
      on_runtime_stack([&] { keeping_vectors(kept, [&] { lowest = below_frames(here); }); });
    }
    bool on_its_stack = lowest >= t.stack_low && lowest < t.stack_high;
    found = {&t, t.carried->stops, on_its_stack ? lowest : 0};
  }
  return found.frame;
}

// A function uses so many bytes below its frame without a word, but not while it calls another. One
// that stopped between two instructions has called what the rewriter has added.
std::uint64_t ThreadStack::below_frames(const StopContext& stop) {
  constexpr std::uint64_t kRedZone = 128;
  StopContext outside = registers_outside(modules_, stop);
  const Module* m = modules_.find(outside.rip);
  bool called = m != nullptr && (m->patched == nullptr || is_program_code(modules_, outside.rip));
  return outside.rsp - (called ? 0 : kRedZone);
}

}  // namespace rff
