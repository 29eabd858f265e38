// Vector and floating-point registers of the program, kept while somebody else uses them: another
// thread, or the C library functions that the runtime calls. The runtime's own code avoids them.
#pragma once

#include "libsched/support/aside.h"

namespace rff {

// What a thread has kept, the latest first, in memory of the runtime. Neither the registers nor
// where they are kept may be found on the program's stack (see aside.h), so no local variable
// leads there.
class KeptVectors {
 public:
  void keep();
  void restore();

 private:
  struct Area;
  Area* latest_ = nullptr;
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

}  // namespace rff
