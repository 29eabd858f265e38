#include "libsched/engine/execution.h"

#include <algorithm>

#include "libsched/support/check.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

// Virtual nanoseconds per event of a spinning thread.
constexpr std::uint64_t kSpinPass = 1000;

}  // namespace

Execution::Execution(Thread& main, OperationListener& memory, RunListener& report, World& world)
    : memory_(memory), report_(report), world_(world) {
  threads_.push_back(&main);
  make_current(main);
  live_ = 1;
}

void Execution::set_scheduler(std::unique_ptr<Scheduler> scheduler, const Schedule& schedule) {
  scheduler_ = std::move(scheduler);
  asks_always_ = scheduler_->sees_every_point();
  pending_.start(scheduler_->crowds(), schedule.timeouts);
  progress.start(schedule.max_steps);
}

void Execution::make_current(Thread& t) {
  current_ = &t;
  current_memory_ = t.memory;
}

void Execution::perform(Operation& op) {
  perform_here(op);
  // The bytes that a step leaves on the stack depend on whether the run is traced.
  wipe_stack_below(kStepDepth);
}

void Execution::perform_here(Operation& op) {
  Thread& t = *current_;
  memory_.commit(t);
  if (t.signal_held_back) {
    t.signal_held_back = false;
    world_.take_signals(t, Interruption::kNone);
  }
  memory_.announced(t, op);
  while (!stop(op)) {
    // As in the kernel, a call that need not wait is not interrupted.
    if (world_.take_signals(t, t.need_not_wait ? Interruption::kNone : op.on_signal)) {
      op.interrupted = true;
      return;
    }
  }
  memory_.takes_effect(t, op);
}

bool Execution::stop(Operation& op) {
  Thread& t = *current_;
  t.stop_with(op);
  ++points;
  if (proof_.under_way()) {
    StopContext here;
    capture(here);
    on_runtime_stack([&] { proof_.stopped(t, here); });
  }
  if (asks_always_) {
    capture(stopped_at_);
    on_runtime_stack([&] { scheduler_->stopped(t, stopped_at_); });
  }
  if (stop_listener_ != nullptr) {
    capture(stopped_at_);
    on_runtime_stack([&] { stop_listener_->stopped(t, stopped_at_); });
  }
  Thread* next = choose(&t);
  if (next != &t) {
    ++switches;
    make_current(*next);
    carrier_->switch_to(t, *next);
  }
  RFF_CHECK(current_ == &t);
  if (proof_.under_way()) {
    on_runtime_stack([&] { proof_.goes_on(); });
  }
  Operation& chosen = goes_on(t);
  if (&chosen == &op) {
    return true;
  }
  memory_.takes_effect(t, chosen);
  return false;
}

Operation& Execution::goes_on(Thread& t) {
  Operation& op = *t.pending;
  on_runtime_stack([&] {
    pending_.erase(t);
    scheduler_->executed(t, op, pending_);
  });
  t.state = ThreadState::kRunning;
  t.pending = nullptr;
  return op;
}

void Execution::reconsider(Thread& t) {
  if (t.state == ThreadState::kPending) {
    on_runtime_stack([&] { pending_.reconsider(t); });
  }
}

void Execution::restate(Thread& t, const Operation& op) {
  RFF_CHECK(t.state == ThreadState::kPending);
  on_runtime_stack([&] { pending_.erase(t); });
  *t.pending = op;
  t.stop_with(*t.pending);
  t.ready_since = t.ran_in = progress.decisions();
  t.ready_time = now;
  memory_.name(*t.pending);
  on_runtime_stack([&] { pending_.insert(t); });
}

void Execution::changed(const void* state) {
  on_runtime_stack([&] { pending_.changed(state); });
}

void Execution::interrupt(Thread& t, const Operation& taking) {
  if (t.state != ThreadState::kPending || t.pending == &t.start_operation ||
      t.pending == &t.signal_operation) {
    return;  // the thread takes the signal by itself
  }
  if (t.pending->second_half) {
    t.signal_held_back = true;
    return;
  }
  t.need_not_wait = PendingThreads::can_take_effect(t);
  Operation& op = t.signal_operation;
  op = taking;
  op.site = t.pending->site;
  memory_.name(op);
  on_runtime_stack([&] { pending_.erase(t); });
  t.stop_with(op);
  t.ready_since = progress.decisions();
  t.ready_time = now;
  memory_.interrupted(t);
  on_runtime_stack([&] { pending_.insert(t); });
}

// If a pending operation waits for something outside the process, waits a moment so that the caller
// looks again. Returns false if no thread waits for the outside.
bool Execution::wait_outside() {
  bool any = false;
  on_runtime_stack([&] {
    pending_.all().for_each([&](std::uint32_t index) { any |= pending_[index].pending->external; });
  });
  // Keep this order: a timer that has just expired is no longer set, but its signal is noted.
  any = any || world_.will_wake_a_thread() || signal_noted();
  if (any) {
    set_flag(kTouchedOutside);
    ++moments_;
    world_.wait_a_moment();
    progress.made();
  }
  return any;
}

Thread* Execution::choose(Thread* stops) {
  progress.decision();
  Thread* chosen = nullptr;
  on_runtime_stack([&] {
    if (stops != nullptr) {
      pending_.insert(*stops);
    }
    pending_.update(now, progress.decisions());
    if (proof_.under_way()) {
      chosen = prove_on(stops);
    } else if (pending_.any_eager() && !signal_noted() && !progress.past_end() &&
               !progress.suspicious()) {
      chosen = decide();
    }
  });
  if (proof_.proved()) {
    report_.hang();
  }
  if (chosen == nullptr) {
    wait_until_one_can_run();
    check_hang();
    on_runtime_stack([&] { chosen = decide(); });
  }
  if (PendingThreads::needs_timeout(*chosen)) {
    note_early_timeout(*chosen);
    expire(*chosen);
  }
  if (traced_) {
    on_runtime_stack([&] { report_.chosen(steps, *current_, *chosen, able().size()); });
  }
  chosen->ready_since = progress.decisions();
  chosen->ready_time = chosen->ran_at = now;
  chosen->ran_in = progress.decisions();
  if (!pending_.any_eager()) {
    ++chosen->spin.passes;
    now += kSpinPass;
  }
  return chosen;
}

// Advances virtual time, or waits for the outside, until a thread that does not spin can run, or
// only spinning threads are left. Reports a deadlock if no thread can ever run.
void Execution::wait_until_one_can_run() {
  for (;;) {
    if (signal_noted_.exchange(false)) {
      world_.send_noted_signals();
    }
    on_runtime_stack([&] { pending_.update(now, progress.decisions()); });
    if (pending_.any_eager() || (!advance_time() && (any_restless() || !wait_outside()))) {
      break;
    }
  }
  if (!pending_.any_enabled()) {
    report_.deadlock();
  }
  if (!any_restless()) {
    report_.hang();
  }
}

// Returns whether a thread could go on of which it is not known that this would change nothing.
bool Execution::any_restless() const {
  bool any = false;
  on_runtime_stack([&] {
    pending_.enabled().for_each([&](std::uint32_t index) { any |= !pending_[index].spin.waits; });
  });
  return any;
}

Thread* Execution::decide() {
  bool several = able().several();
  if (!several && !asks_always_) {
    return &pending_[able().first()];
  }
  Thread* chosen = scheduler_->pick(pending_);
  if (chosen == nullptr) {
    report_.rejected();
  }
  if (several && record_ != nullptr) {
    record_->decisions.append(
        {static_cast<std::uint16_t>(chosen->index),
         EventCheck::of(chosen->pending->id, PendingThreads::needs_timeout(*chosen))});
  }
  return chosen;
}

bool Execution::advance_time() {
  std::uint64_t nearest = kNever;
  on_runtime_stack([&] { nearest = pending_.nearest_deadline(); });
  if (nearest == kNever) {
    return false;
  }
  now = std::max(now, nearest);
  bool ended = false;
  on_runtime_stack([&] { ended = pending_.expire(now); });
  RFF_CHECK(ended);  // otherwise no thread would ever go on
  progress.time_passed();
  set_flag(kTimePassed);
  return true;
}

void Execution::expire(Thread& t) {
  t.pending->timed_out = true;
  now = std::max(now, t.pending->deadline);
}

void Execution::note_early_timeout(const Thread& t) {
  const Thread* preempted = nullptr;
  on_runtime_stack([&] { preempted = pending_.preempted_by(t); });
  if (record_ == nullptr || preempted == nullptr) {
    return;
  }
  record_->flags |= kTimePassed;
  std::uint64_t wait = t.pending->deadline - std::min(t.pending->deadline, t.ran_at);
  if (wait <= pending_.time_of_steps(t)) {
    return;  // as it would on any machine
  }
  record_->flags |= kNeededTimeout;
  if (wait >= record_->early_timeout.nanoseconds) {
    record_->early_timeout = {std::max<std::uint64_t>(wait, 1), t.index, preempted->index};
  }
}

Thread* Execution::prove_on(const Thread* stops) {
  if (signal_noted()) {
    proof_.give_up();
    return nullptr;
  }
  Thread* chosen = proof_.next(pending_, stops, steps);
  if (chosen != nullptr && !pending_.enabled().contains(chosen->index)) {
    expire(*chosen);
    pending_.reconsider(*chosen);
  }
  return chosen;
}

void Execution::check_hang() {
  if (progress.past_end() && !wait_outside()) {
    report_.gave_up();
  }
  if (progress.suspicious() && !proof_.under_way() && !world_.shares_memory() && !wait_outside()) {
    on_runtime_stack([&] { proof_.begin(); });
  }
}

void Execution::prepare(Thread& t, CodeName created_at) {
  Thread& parent = *current_;
  if (threads_.size() >= kMaxThreads) {
    panic("the program creates more than 65,535 threads in one run, the most that can be named");
  }
  t.index = static_cast<std::uint32_t>(threads_.size());
  t.parent = &parent;
  if (!t.attendant) {
    t.name = parent.name + "." + std::to_string(++parent.children);
  }
  t.created_at = created_at;
}

void Execution::add(Thread& t) {
  threads_.push_back(&t);
  memory_.created(*current_, t);
  Operation& op = t.start_operation;
  if (t.attendant) {
    ++attendants_;
  } else {
    ++live_;
    op.op = OpKind::kThreadStart;
    op.address = reinterpret_cast<std::uint64_t>(&t);
    op.site = t.created_at;
    op.place = {LocationKind::kThread, t.created_at.packed(), 0};
  }
  memory_.name(op);
  t.ready_since = progress.decisions();
  t.ready_time = t.ran_at = now;
  t.ran_in = progress.decisions();
  t.stop_with(op);
  on_runtime_stack([&] { pending_.insert(t); });
  progress.made();
}

void Execution::started(Thread& t) {
  RFF_CHECK(current_ == &t);
  Operation& op = goes_on(t);
  memory_.takes_effect(t, op);
  progress.made();
}

void Execution::end_current() {
  Thread& t = *current_;
  memory_.commit(t);
  t.state = ThreadState::kEnded;
  changed(&t);
  --live_;
  memory_.ended(t);
  progress.made();
  if (live_ == 0) {
    carrier_->end(t, nullptr);
    return;
  }
  Thread* next = choose(nullptr);
  ++switches;
  make_current(*next);
  carrier_->end(t, next);
}

}  // namespace rff
