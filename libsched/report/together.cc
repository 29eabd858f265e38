// Findings for all threads together: deadlocks, hangs, and runs that do not end.
#include <signal.h>
#include <sys/syscall.h>

#include <set>

#include "libsched/report/endless_loop.h"
#include "libsched/report/findings.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

// Returns the facts of a thread that waits or could go on.
SharedWait wait_of(const Thread& t) {
  const Operation& op = *t.pending;
  SharedWait w{};
  w.thread = t.index;
  w.op = op.op;
  w.object = op.waits_for != nullptr ? op.waits_for->object : WaitObject::kNone;
  w.address = op.address;
  w.site = op.site;
  w.thread_name.set(t.name);
  if (op.waits_for != nullptr && op.waits_for->holder != nullptr) {
    if (Thread* holder = op.waits_for->holder(op, &w.held_since)) {
      w.holder = holder->index;
      w.holder_name.set(holder->name);
    }
  }
  return w;
}

bool loops_for_ever(const Thread& t) {
  return t.state == ThreadState::kPending && t.pending->waits_for == &kLoopsForEver;
}

}  // namespace

void Findings::deadlock() {
  // If one thread loops forever, the others wait for it: that is a hang, not a deadlock.
  for (Thread* t : execution_.threads()) {
    if (loops_for_ever(*t)) {
      hang();
    }
  }
  StopContext s;
  capture(s);
  FailureRecord failure;
  CodeName place;
  bool place_joins = false;
  for (Thread* t : execution_.threads()) {
    if (t->state == ThreadState::kEnded || t->pending == nullptr || t->attendant) {
      continue;
    }
    const Operation& op = *t->pending;
    // The place must not depend on which thread came last: take the first wait in code order; a
    // join only if there is no other wait.
    bool joins = op.op == OpKind::kThreadJoin;
    if (place == CodeName{} || (place_joins && !joins) ||
        (place_joins == joins && op.site < place)) {
      place = op.site;
      place_joins = joins;
    }
    failure.waits.push_back(wait_of(*t));
  }
  report(FindingKind::kDeadlock, place, failure, s);
}

// Adds the reads that a spinning thread repeats.
void Findings::add_repeated_reads(const Thread& t, std::vector<RepeatedRead>& reads) const {
  const SpinWatch& watch = t.memory->watch;
  std::set<CodeName> sites;
  if (t.spin.waits) {
    t.memory->passes->for_each_read([&](std::uint64_t address, std::uint32_t code) {
      sites.insert(events_.describe(code, address, OpKind::kRead).site);
    });
  }
  for (int i = 0; t.spin.spinning && i < watch.count && i < SpinWatch::kEntries; ++i) {
    std::uint32_t code = watch.entries[i].code;
    if (watch.entries[i].rounds >= SpinWatch::kRounds && watch.entries[i].address != 0) {
      std::uint64_t address = watch.entries[i].address;
      sites.insert(events_.describe(code, address, OpKind::kRead).site);
    }
  }
  for (CodeName site : sites) {
    reads.push_back({t.index, 0, site});
  }
}

void Findings::hang() {
  StopContext s;
  capture(s);
  FailureRecord failure;
  CodeName place;
  for (Thread* t : execution_.threads()) {
    if (t->state == ThreadState::kEnded || t->pending == nullptr || t->attendant ||
        (!PendingThreads::can_take_effect(*t) && t->pending->deadline == kNever &&
         !loops_for_ever(*t))) {
      continue;
    }
    if (place == CodeName{}) {
      place = t->pending->site;
    }
    failure.waits.push_back(wait_of(*t));
    if (loops_for_ever(*t)) {
      failure.facts.flags |= kWithoutEvents;
    }
    add_repeated_reads(*t, failure.repeated_reads);
  }
  report(FindingKind::kHang, place, failure, s);
}

void Findings::unresponsive(std::uint64_t rip, bool without_events) {
  if (record_ == nullptr) {
    die(SIGKILL);
  }
  const Thread& current = execution_.current();
  bool in_program = rip != 0 && is_program_code(modules_, rip);
  StopContext here;
  capture(here);
  CodeName place;
  for (const Thread* t : execution_.threads()) {
    if (t->state == ThreadState::kEnded || t->attendant) {
      continue;
    }
    bool waits = t->state == ThreadState::kPending && t->pending != nullptr;
    SharedWait w = waits ? wait_of(*t) : SharedWait{};
    w.thread = t->index;
    w.thread_name.set(t->name);
    if (!waits) {
      w.site =
          modules_.name(in_program ? modules_.original_code(rip) : program_frame(modules_, here));
    }
    if (t == &current) {
      place = w.site;
    }
    record_->waits.append(w);
  }
  record_->place = place;
  record_->failure.flags = without_events && in_program ? kWithoutEvents : 0;
  record_->threads = execution_.threads_of_program();
  record_->outcome.store(RunOutcome::kUnresponsive);
  record_->state.store(RunState::kEnded);
  real::syscall6(SYS_exit_group, 0);
  die(SIGKILL);
}

}  // namespace rff
