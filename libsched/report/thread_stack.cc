#include "libsched/report/thread_stack.h"

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

}  // namespace rff
