// Vector and floating-point registers of the program, kept while somebody else uses them: another
// thread, or the C library functions that the runtime calls. The runtime's own code avoids them.
#pragma once

#include <cstdint>

#include "libsched/support/runtime_stack.h"

namespace rff {

// What a thread has kept, the latest first, in memory of the runtime. Neither the registers nor
// where they are kept may be found on the program's stack (see runtime_stack.h), so no local
// variable leads there.
class KeptVectors {
 public:
  // What runs next finds them as a function that is called does: the floating-point stack empty.
  void keep();
  void restore();
  // A number that stands for all that is kept.
  std::uint64_t fingerprint() const;

 private:
  struct Area;
  Area* latest_ = nullptr;
  Area* spare_ = nullptr;  // for a few registers
};

// Calls `f`, which leaves the registers as they are.
template <typename F>
void keeping_vectors(KeptVectors& kept, F&& f) {
  constexpr long kDepth = 256;  // of keep and restore
  kept.keep();
  wipe_stack_below(kDepth);
  f();
  kept.restore();
  wipe_stack_below(kDepth);
}

// All zero, but for the control registers.
void clear_vectors();

// Functions keep no registers for their callers, but the flags and modes of this unit belong to the
// thread.
bool x87_in_use();
void reset_x87();
// To ask the floating-point unit would count as using it, so that it has to be kept from then on.
std::uint16_t x87_control();

}  // namespace rff
