// A timer that the program reads from a descriptor. For the kernel it is a counter, which the
// runtime raises when the timer expires in virtual time.
#pragma once

#include "libsched/interpose/time/virtual_timer.h"

namespace rff {

class TimerDescriptor final : public VirtualTimer {
 public:
  // `counter`: the program's descriptor of the counter.
  TimerDescriptor(int counter, int clock, const void* caller);
  int settime(int flags, const itimerspec& value);
  int clock() const { return clock_; }
  // It has another number now.
  void moved(int counter) { counter_ = counter; }
  // The description has ended.
  void end() { set(kNever, 0); }

 protected:
  void expired(std::uint64_t times) override;

 private:
  int counter_;
  int clock_;
};

}  // namespace rff
