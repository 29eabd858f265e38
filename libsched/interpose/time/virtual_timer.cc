#include "libsched/interpose/time/virtual_timer.h"

#include <algorithm>
#include <cstdio>

#include "libsched/interpose/descriptors/description.h"

namespace rff {
namespace {

int timers_made = 0;

constexpr WaitRule kExpires = {[](const Operation&) { return false; }, nullptr, WaitObject::kTimer,
                               true};

}  // namespace

VirtualTimer::VirtualTimer(const void* caller)
    : place_(descriptions::next_place(caller)), site_(runtime->code(caller)) {
  std::snprintf(name_, sizeof name_, "timer %d", ++timers_made);
}

void VirtualTimer::set(std::uint64_t at, std::uint64_t interval) {
  at_ = at;
  interval_ = interval;
  runtime->start_run();
  renew();
}

std::uint64_t VirtualTimer::left() const {
  std::uint64_t now = runtime->run.execution.now;
  return at_ == kNever ? 0 : std::max<std::uint64_t>(at_ > now ? at_ - now : 0, 1);
}

void VirtualTimer::prepare(Operation& op) {
  op.op = OpKind::kSleep;
  op.place = place_;
  op.site = site_;
  op.waits_for = &kExpires;
  op.state = this;
  op.deadline = at_;
}

void VirtualTimer::act() {
  std::uint64_t now = runtime->run.execution.now;
  std::uint64_t times = 1 + (interval_ != 0 ? (now - std::min(now, at_)) / interval_ : 0);
  at_ = interval_ != 0 ? at_ + times * interval_ : kNever;
  expired(times);
}

}  // namespace rff
