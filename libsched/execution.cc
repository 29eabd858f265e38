#include "libsched/execution.h"

#include <sys/syscall.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "libsched/findings/findings.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals.h"
#include "libsched/interpose/timers.h"
#include "libsched/runtime.h"
#include "libsched/support/aside.h"
#include "libsched/support/capture.h"
#include "libsched/support/panic.h"
#include "libsched/support/real.h"
#include "libsched/support/vector_state.h"

namespace rff {
namespace {

// Decisions without any progress after which the program counts as hanging, if all that its threads
// do is read the same again. A retry loop that gives up after fewer rounds than this is not a hang.
constexpr std::uint64_t kHangDecisions = 100'000;
// How many times as long it may go on while it reads on through memory or takes locks: that may be
// work of which only the result will be seen.
constexpr std::uint64_t kWorkFactor = 20;
// The same for waits that ended because time passed and nothing else happened.
constexpr std::uint64_t kWaitFactor = 10;
// Decisions without progress, or waits that only time ended, after which threads that may be in
// step with each other are brought out of it.
constexpr std::uint64_t kStuckDecisions = 10'000;
constexpr std::uint64_t kStuckWaits = 1'000;
constexpr std::uint64_t kLongestStretch = 64;
// No scheduler is fair to the end; a program may rely on every thread running some time.
constexpr std::uint64_t kStarvation = 10'000;
constexpr std::uint64_t kStarvationCheck = 64;  // every so many decisions
// How far a replay goes on that has left its recorded run and does not end: in any case so far, and
// so many times the recorded decisions.
constexpr std::uint64_t kAfterDivergence = 20'000;
constexpr std::uint64_t kTimesRecorded = 10;
constexpr std::uint32_t kMostSize = 0xffff;  // of an event
constexpr long kSwitchDepth = 512;           // bytes of stack that a carrier may use for a switch
constexpr std::uint64_t kSpinPass =
    1000;  // virtual nanoseconds that an event of a spinning thread takes

}  // namespace

Execution::Execution(Runtime& r) : runtime_(r), carrier_(&kernel_threads()) {
  auto* main = new Thread;
  main->name = "main";
  main->random = Random(hash_bytes(main->name));
  main->handle = pthread_self();
  threads_.push_back(main);
  by_handle_[main->handle] = main;
  current_ = main;
  live_ = 1;
}

void Execution::perform(Operation& op) {
  Thread& t = *current_;
  runtime_.accesses.finish_write(t);
  if (t.signal_held_back) {
    t.signal_held_back = false;
    take_signals(Interruption::kNone);
  }
  EventTable& events = runtime_.events;
  if (op.code != 0) {
    events.name(op, events.intern_site(op.code, op.address, op.op));
    op.event.size = static_cast<std::uint16_t>(std::min(op.size, kMostSize));
  } else if (op.place.kind != LocationKind::kNone) {
    events.name(op, events.intern(AbstractEvent::make(op.op, op.place, op.size, op.site)));
  } else {
    events.name(op, events.intern(op.op, op.address, op.size, op.site));
  }
  while (!stop(op)) {
    if (take_signals(op.on_signal)) {
      op.interrupted = true;
      return;
    }
  }
  runtime_.accesses.executed(t, op);
}

bool Execution::take_signals(Interruption allowed) {
  Thread& t = *current_;
  bool in_patched_code = t.in_patched_code;
  t.in_patched_code = false;
  bool interrupted = false;
  keeping_vectors(t.vectors, [&] { interrupted = signals::take(allowed); });
  t.in_patched_code = in_patched_code;
  return interrupted;
}

void Execution::switch_to(Thread& next) {
  Thread& t = *current_;
  current_ = &next;
  if (t.in_patched_code) {
    keeping_vectors(t.vectors, [&] { carrier_->switch_to(t, next); });
  } else {
    carrier_->switch_to(t, next);
  }
  wipe_stack_below(kSwitchDepth);
}

bool Execution::stop(Operation& op) {
  Thread& t = *current_;
  t.stop_with(op);
  aside([&] { scheduler_->pending(t); });
  pending_.insert(t);
  ++points;
  Thread* next = choose();
  if (next != &t) {
    ++switches;
    if (runtime_.trace.enabled()) {
      capture(t.stop);
    }
    switch_to(*next);
  }
  RFF_CHECK(current_ == &t);
  t.stretch_end = steps + Thread::kLongestStretch;
  pending_.erase(t);
  Operation& chosen = *t.pending;
  const std::vector<Thread*>& others = pending_.near(t);
  aside([&] { scheduler_->executed(t, chosen, others); });
  t.state = ThreadState::kRunning;
  t.pending = nullptr;
  if (&chosen == &op) {
    return true;
  }
  runtime_.accesses.executed(t, chosen);
  return false;
}

void Execution::interrupt(Thread& t) {
  if (t.state != ThreadState::kPending || t.pending == &t.start_operation ||
      t.pending == &t.signal_operation) {
    return;  // it takes the signal by itself
  }
  if (t.pending->second_half) {
    t.signal_held_back = true;
    return;
  }
  Operation& op = t.signal_operation;
  op = {};
  op.op = OpKind::kWake;
  op.address = signals::object();
  op.site = t.pending->site;
  runtime_.events.name(
      op, runtime_.events.intern(AbstractEvent::make(op.op, signals::place(), 0, op.site)));
  pending_.erase(t);
  t.stop_with(op);
  t.ready_since = decisions_;
  runtime_.accesses.got_somewhere(t);
  aside([&] { scheduler_->pending(t); });
  pending_.insert(t);
}

void Execution::collect_enabled() {
  pending_.update(runtime_.now, runtime_.schedule.timeouts == TimeoutPolicy::kAny, decisions_);
  some_spin_ = runtime_.accesses.any_spins();
  if (some_spin_) {
    eager_.clear();
    std::copy_if(enabled().begin(), enabled().end(), std::back_inserter(eager_),
                 [](const Thread* t) { return !t->spin.spinning; });
  }
}

// Who may be chosen: threads that do not spin; if all spin, those that have had the fewest passes,
// so that none spins for ever on what another spinning thread is about to do.
const std::vector<Thread*>& Execution::candidates() {
  if (stuck()) {
    return enabled();
  }
  if (decisions_ % kStarvationCheck == 0) {
    for (Thread* t : eager()) {
      if (decisions_ - t->ready_since > kStarvation) {
        eager_.assign(1, t);
        return eager_;
      }
    }
  }
  if (!eager().empty()) {
    return eager();
  }
  std::uint64_t fewest = kNever;
  for (Thread* t : enabled()) {
    fewest = std::min(fewest, t->spin.passes);
  }
  std::copy_if(enabled().begin(), enabled().end(), std::back_inserter(eager_),
               [&](const Thread* t) { return t->spin.passes == fewest; });
  return eager_;
}

// Nobody can run, but somebody waits for the world outside: look again a little later.
bool Execution::wait_outside() {
  bool any = false;
  for (Thread* t : pending_.all()) {
    any |= t->pending->external;
  }
  // A signal that has come meanwhile is seen after a timer is no longer set.
  any = any || timers::will_expire() || signals::noted();
  if (any) {
    if (runtime_.shared != nullptr) {
      runtime_.shared->run.flags |= kTouchedOutside;
    }
    ++moments_;
    timespec moment = {0, 200'000};
    real::syscall6(SYS_nanosleep, reinterpret_cast<long>(&moment), 0);
    signals::look_outside();
    progress();
  }
  return any;
}

Thread* Execution::choose() {
  ++decisions_;
  for (;;) {
    if (signals::noted()) {
      signals::send_noted();
    }
    collect_enabled();
    // Threads that only spin make way; time passes for those that wait for it.
    if (!eager().empty() || (!advance_time() && (!enabled().empty() || !wait_outside()))) {
      break;
    }
  }
  if (enabled().empty()) {
    report_deadlock();
  }
  check_hang();
  bool spinning = eager().empty();
  const std::vector<Thread*>& able = candidates();
  Thread* chosen = able[0];
  if (able.size() > 1) {
    aside([&] { chosen = decide(able); });
  }
  if (chosen->may_time_out) {
    chosen->pending->timed_out = true;
    runtime_.now = std::max(runtime_.now, chosen->pending->deadline);
    if (runtime_.shared != nullptr) {
      runtime_.shared->run.flags |= kNeededTimeout;
    }
  }
  if (runtime_.trace.enabled()) {
    aside([&] { runtime_.trace.decision(steps, *current_, *chosen, able.size()); });
  }
  chosen->ready_since = decisions_;
  if (spinning) {
    ++chosen->spin.passes;
    runtime_.now += kSpinPass;
  }
  return chosen;
}

Thread* Execution::decide(const std::vector<Thread*>& able) {
  Thread* chosen = follow_prefix();
  if (chosen == nullptr) {
    chosen = stuck() ? unstick(able) : scheduler_->pick(able);
  }
  if (runtime_.shared != nullptr) {
    runtime_.shared->run.decisions.append(
        {static_cast<std::uint16_t>(chosen->index),
         static_cast<std::uint16_t>((chosen->pending->id & 0x7fff) |
                                    (chosen->may_time_out ? Decision::kTimedOut : 0))});
  }
  return chosen;
}

std::uint64_t Execution::hang_limit() const {
  return runtime_.schedule.max_steps > 0 ? runtime_.schedule.max_steps : kHangDecisions;
}

std::uint64_t Execution::clock_step() {
  constexpr std::uint64_t kStep = 1000, kPatience = 4000, kDoubling = 64, kMostDoublings = 32;
  std::uint64_t patience = std::min(kPatience, hang_limit() / 4);
  ++clock_reads_;
  std::uint64_t impatient = clock_reads_ > patience ? clock_reads_ - patience : 0;
  return kStep << std::min(impatient / kDoubling, kMostDoublings);
}

bool Execution::stuck() const {
  std::uint64_t limit = hang_limit();
  return decisions_ - quiet_from_ > std::min(kStuckDecisions, limit / 2) ||
         waits_ > std::min(kStuckWaits, limit / 2);
}

Thread* Execution::unstick(const std::vector<Thread*>& able) {
  if (stretch_ > 0 && std::find(able.begin(), able.end(), current_) != able.end()) {
    --stretch_;
    return current_;
  }
  stretch_ = random_.below(kLongestStretch);
  return able[random_.below(able.size())];
}

Thread* Execution::follow_prefix() {
  if (prefix_ == nullptr || prefix_at_ >= prefix_->size()) {
    return nullptr;
  }
  const Decision& d = (*prefix_)[prefix_at_++];
  Thread* wanted = nullptr;
  for (Thread* t : enabled()) {
    if (t->index == d.thread) {
      wanted = t;
    }
  }
  if (wanted == nullptr || ((wanted->pending->id ^ d.check) & 0x7fff) != 0) {
    findings::diverged(prefix_at_ - 1, d, wanted, enabled().size());
    last_decision_ = decisions_ + kAfterDivergence + kTimesRecorded * prefix_->size();
    prefix_ = nullptr;  // go on with the scheduler
  }
  return wanted;
}

bool Execution::advance_time() {
  std::uint64_t nearest = pending_.nearest_deadline();
  if (nearest == kNever) {
    return false;
  }
  runtime_.now = std::max(runtime_.now, nearest);
  bool ended = pending_.expire(runtime_.now);
  RFF_CHECK(ended);  // else nobody would ever go on
  // Time alone is no progress, but programs may wait for long in small steps.
  ++waits_;
  quiet_from_ = decisions_;
  return true;
}

void Execution::check_hang() {
  if (decisions_ > last_decision_ && !wait_outside()) {
    findings::gave_up();
  }
  std::uint64_t limit = hang_limit();
  if (decisions_ - quiet_from_ <= limit && waits_ <= limit) {
    return;
  }
  if (runtime_.shares_memory) {
    return;  // what they wait for may be another process's to write
  }
  bool all_repeat = !passed_lock_;
  for (const Thread* t : enabled()) {
    all_repeat &= t->spin.spinning && !t->spin.may_be_work;
  }
  if ((decisions_ - quiet_from_ > (all_repeat ? limit : limit * kWorkFactor) ||
       waits_ > limit * kWaitFactor) &&
      !wait_outside()) {
    findings::hang();
  }
}

void Execution::report_deadlock() { findings::deadlock(); }

}  // namespace rff
