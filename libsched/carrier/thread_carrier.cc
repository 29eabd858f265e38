#include "libsched/carrier/thread_carrier.h"

#include "libsched/support/runtime_stack.h"

namespace rff {

void ThreadCarrier::switch_to(Thread& from, Thread& to) {
  constexpr long kSwitchDepth = 256;  // bytes of stack that a carrier may use for a switch
  CarriedThread& t = *from.carried;
  capture(t.stop);
  ++t.stops;
  bool keeps = t.entry_frame != 0 || x87_in_use();
  if (keeps) {
    t.vectors.keep();
  }
  hand_over(from, to);
  if (keeps) {
    t.vectors.restore();
  }
  wipe_stack_below(kSwitchDepth);
}

}  // namespace rff
