// Saves the program's vector and floating-point registers while other code uses them: another
// thread, or C library functions that the runtime calls. The runtime's own code avoids them.
#pragma once

#include <cstdint>

#include "libsched/support/runtime_stack.h"

namespace rff {

// The saved registers of a thread, latest first, in memory of the runtime. Neither the registers
// nor their address may appear on the program's stack (see runtime_stack.h), so no local variable
// points to them.
class KeptVectors {
 public:
  // Saves the registers. Code that runs next finds them as a called function does: the
  // floating-point stack is empty.
  void keep();
  void restore();
  // Returns a hash of everything that is saved.
  std::uint64_t fingerprint() const;

 private:
  struct Area;
  Area* latest_ = nullptr;
  Area* spare_ = nullptr;  // for the first sixteen registers only
};

// Calls `f` and restores the registers afterwards.
template <typename F>
void keeping_vectors(KeptVectors& kept, F&& f) {
  constexpr long kDepth = 256;  // of keep and restore
  kept.keep();
  wipe_stack_below(kDepth);
  f();
  kept.restore();
  wipe_stack_below(kStepDepth);
}

// Clears all but the control registers.
void clear_vectors();

// Functions preserve no vector registers for their callers, but the flags and modes of the x87 unit
// belong to the thread.
bool x87_in_use();
void reset_x87();
// Avoids reading the floating-point unit, which would count as using it, so that it would have to
// be saved from then on.
std::uint16_t x87_control();

}  // namespace rff
