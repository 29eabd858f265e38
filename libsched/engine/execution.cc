#include "libsched/engine/execution.h"

#include <sys/syscall.h>

#include <algorithm>
#include <ctime>

#include "libsched/report/findings.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/time/timers.h"
#include "libsched/process/runtime.h"
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
constexpr std::uint64_t kStarvationCheck = 512;  // every so many decisions
// How far a replay goes on that has left its recorded run and does not end: in any case so far, and
// so many times the recorded decisions.
constexpr std::uint64_t kAfterDivergence = 20'000;
constexpr std::uint64_t kTimesRecorded = 10;
constexpr std::uint64_t kOwnRandom = 0x6f776e;
constexpr std::uint32_t kMostSize = 0xffff;  // of an event
constexpr long kSwitchDepth = 256;           // bytes of stack that a carrier may use for a switch
constexpr std::uint64_t kSpinPass =
    1000;  // virtual nanoseconds that an event of a spinning thread takes

alignas(kOnBusyPage) char main_thread[sizeof(Thread)];
static_assert(alignof(Thread) <= kOnBusyPage);

}  // namespace

Execution::Execution(Runtime& r) : runtime_(r), carrier_(&kernel_threads()) {
  Thread& main = *new (main_thread) Thread;
  main.name = "main";
  main.random = Random(hash_bytes(main.name));
  main.handle = pthread_self();
  threads_.push_back(&main);
  current_ = &main;
  live_ = 1;
}

void Execution::set_scheduler(std::unique_ptr<Scheduler> scheduler, const Schedule& schedule) {
  scheduler_ = std::move(scheduler);
  pending_.start(*scheduler_, schedule.timeouts == TimeoutPolicy::kAny);
  random_ = Random(hash_combine(schedule.seed, kOwnRandom));
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
  bool keeps = t.in_patched_code || x87_in_use();
  if (keeps) {
    t.vectors.keep();
  }
  carrier_->switch_to(t, next);
  if (keeps) {
    t.vectors.restore();
  }
  wipe_stack_below(kSwitchDepth);
}

bool Execution::stop(Operation& op) {
  Thread& t = *current_;
  t.stop_with(op);
  ++points;
  Thread* next = choose(&t);
  if (next != &t) {
    ++switches;
    if (runtime_.trace.enabled()) {
      capture(t.stop);
    }
    switch_to(*next);
  }
  RFF_CHECK(current_ == &t);
  Operation& chosen = goes_on(t);
  if (&chosen == &op) {
    return true;
  }
  runtime_.accesses.executed(t, chosen);
  return false;
}

Operation& Execution::goes_on(Thread& t) {
  Operation& op = *t.pending;
  aside([&] {
    pending_.erase(t);
    scheduler_->executed(t, op, pending_);
  });
  t.state = ThreadState::kRunning;
  t.pending = nullptr;
  t.stretch_end = steps + Thread::kLongestStretch;
  return op;
}

void Execution::reconsider(Thread& t) {
  if (t.state == ThreadState::kPending) {
    aside([&] { pending_.reconsider(t); });
  }
}

void Execution::changed(const void* state) {
  aside([&] { pending_.changed(state); });
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
  aside([&] { pending_.erase(t); });
  t.stop_with(op);
  t.ready_since = decisions_;
  runtime_.accesses.got_somewhere(t);
  aside([&] { pending_.insert(t); });
}

// If all spin, one of those that have had the fewest passes goes on, so that none spins for ever on
// what another spinning thread is about to do.
Thread* Execution::least_patient() {
  std::uint64_t fewest = kNever;
  std::uint64_t several = 0;
  enabled().for_each([&](std::uint32_t index) {
    std::uint64_t passes = pending_[index].spin.passes;
    several = passes < fewest ? 1 : several + (passes == fewest ? 1 : 0);
    fewest = std::min(fewest, passes);
  });
  Thread* chosen = nullptr;
  std::uint64_t skip = several > 1 ? random_.below(several) : 0;
  enabled().for_each([&](std::uint32_t index) {
    Thread& t = pending_[index];
    if (t.spin.passes == fewest && skip-- == 0) {
      chosen = &t;
    }
  });
  return chosen;
}

Thread* Execution::starving() {
  Thread* starves = nullptr;
  if (decisions_ % kStarvationCheck == 0) {
    eager().for_each([&](std::uint32_t index) {
      Thread& t = pending_[index];
      if (starves == nullptr && decisions_ - PendingThreads::ready_since(t) > kStarvation) {
        starves = &t;
      }
    });
  }
  return starves;
}

// Nobody can run, but somebody waits for the world outside: look again a little later.
bool Execution::wait_outside() {
  bool any = false;
  aside([&] {
    pending_.all().for_each([&](std::uint32_t index) { any |= pending_[index].pending->external; });
  });
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

Thread* Execution::choose(Thread* stops) {
  ++decisions_;
  Thread* chosen = nullptr;
  aside([&] {
    if (stops != nullptr) {
      pending_.insert(*stops);
    }
    pending_.update(runtime_.now, decisions_);
    if (pending_.any_eager() && !signals::noted() && !may_hang()) {
      chosen = decide();
    }
  });
  if (chosen == nullptr) {
    wait_for_somebody();
    check_hang();
    aside([&] { chosen = decide(); });
  }
  if (pending_.needs_timeout(*chosen)) {
    chosen->pending->timed_out = true;
    runtime_.now = std::max(runtime_.now, chosen->pending->deadline);
    if (runtime_.shared != nullptr) {
      runtime_.shared->run.flags |= kNeededTimeout;
    }
  }
  if (runtime_.trace.enabled()) {
    aside([&] { runtime_.trace.decision(steps, *current_, *chosen, able().size()); });
  }
  chosen->ready_since = decisions_;
  if (!pending_.any_eager()) {
    ++chosen->spin.passes;
    runtime_.now += kSpinPass;
  }
  return chosen;
}

// Threads that only spin make way; time passes for those that wait for it.
void Execution::wait_for_somebody() {
  for (;;) {
    if (signals::noted()) {
      signals::send_noted();
    }
    aside([&] { pending_.update(runtime_.now, decisions_); });
    if (pending_.any_eager() || (!advance_time() && (pending_.any_enabled() || !wait_outside()))) {
      break;
    }
  }
  if (!pending_.any_enabled()) {
    findings::deadlock();
  }
}

Thread* Execution::decide() {
  if (!able().several()) {
    return &pending_[able().first()];
  }
  Thread* chosen = follow_prefix();
  if (chosen == nullptr && stuck()) {
    chosen = unstick();
  } else if (chosen == nullptr && !pending_.any_eager()) {
    chosen = least_patient();
  } else if (chosen == nullptr) {
    Thread* starves = starving();
    chosen = starves != nullptr ? starves : scheduler_->pick(pending_);
  }
  if (runtime_.shared != nullptr) {
    runtime_.shared->run.decisions.append(
        {static_cast<std::uint16_t>(chosen->index),
         static_cast<std::uint16_t>((chosen->pending->id & 0x7fff) |
                                    (pending_.needs_timeout(*chosen) ? Decision::kTimedOut : 0))});
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

Thread* Execution::unstick() {
  if (stretch_ > 0 && enabled().contains(current_->index)) {
    --stretch_;
    return current_;
  }
  stretch_ = random_.below(kLongestStretch);
  return &pending_[enabled().at(random_.below(enabled().size()))];
}

Thread* Execution::follow_prefix() {
  if (prefix_ == nullptr || prefix_at_ >= prefix_->size()) {
    return nullptr;
  }
  const Decision& d = (*prefix_)[prefix_at_++];
  Thread* wanted = enabled().contains(d.thread) ? &pending_[d.thread] : nullptr;
  if (wanted == nullptr || ((wanted->pending->id ^ d.check) & 0x7fff) != 0) {
    findings::diverged(prefix_at_ - 1, d, wanted, enabled().size());
    last_decision_ = decisions_ + kAfterDivergence + kTimesRecorded * prefix_->size();
    prefix_ = nullptr;  // go on with the scheduler
  }
  return wanted;
}

bool Execution::advance_time() {
  std::uint64_t nearest = kNever;
  aside([&] { nearest = pending_.nearest_deadline(); });
  if (nearest == kNever) {
    return false;
  }
  runtime_.now = std::max(runtime_.now, nearest);
  bool ended = false;
  aside([&] { ended = pending_.expire(runtime_.now); });
  RFF_CHECK(ended);  // else nobody would ever go on
  // Time alone is no progress, but programs may wait for long in small steps.
  ++waits_;
  quiet_from_ = decisions_;
  return true;
}

bool Execution::may_hang() const {
  std::uint64_t limit = hang_limit();
  return decisions_ > last_decision_ || decisions_ - quiet_from_ > limit || waits_ > limit;
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
  aside([&] {
    enabled().for_each([&](std::uint32_t index) {
      const SpinWatch& spin = pending_[index].spin;
      all_repeat &= spin.spinning && !spin.may_be_work;
    });
  });
  if ((decisions_ - quiet_from_ > (all_repeat ? limit : limit * kWorkFactor) ||
       waits_ > limit * kWaitFactor) &&
      !wait_outside()) {
    findings::hang();
  }
}

}  // namespace rff
