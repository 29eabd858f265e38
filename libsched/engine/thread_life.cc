// How a thread of the run begins, ends and is given back; the rest of Execution is in execution.cc.
#include "libsched/engine/execution.h"
#include "libsched/report/findings.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/process/runtime.h"
#include "libsched/support/aside.h"
#include "libsched/support/panic.h"
#include "libsched/support/vector_state.h"

namespace rff {

int Execution::create(Thread** created, const pthread_attr_t* attributes, void* (*entry)(void*),
                      void* argument, CodeName site) {
  Thread& parent = *current_;
  for (Thread* t : left_behind_) {
    release(*t);
  }
  left_behind_.clear();
  auto* t = new Thread;
  t->index = static_cast<std::uint32_t>(threads_.size());
  t->tag = static_cast<std::uint16_t>(t->index + 1);
  t->hash_part = std::uint64_t{t->index} << 32;
  t->parent = &parent;
  t->name = parent.name + "." + std::to_string(++parent.children);
  t->random = Random(hash_bytes(t->name));
  t->created_at = site;
  t->entry = entry;
  t->argument = argument;
  t->signal_mask = parent.signal_mask;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) {
    pthread_attr_getdetachstate(attributes, &detach_state);
  }
  t->detached = detach_state == PTHREAD_CREATE_DETACHED;
  int error = choose_priority(*t, attributes);
  if (error == 0) {
    MakingThread guard;
    keeping_vectors(parent.vectors, [&] {
      aside([&] { error = carrier_->create(*t, attributes, &Execution::thread_body); });
    });
  }
  if (error != 0) {
    delete t;
    return error;
  }
  if (!stacks_used_.insert(t->stack_low)) {
    runtime_.shadow.forget(t->stack_low, t->stack_high - t->stack_low);
  }
  runtime_.locations.add_thread(*t);
  runtime_.locations.add_stack(*t);
  threads_.push_back(t);
  by_handle_[t->handle] = t;
  ++live_;
  aside([&] { runtime_.trace.thread(*t); });
  Operation& op = t->start_operation;
  op.op = OpKind::kThreadStart;
  op.address = reinterpret_cast<std::uint64_t>(t);
  op.site = site;
  runtime_.events.name(op, runtime_.events.intern(AbstractEvent::make(
                               op.op, {LocationKind::kThread, site.packed(), 0}, 0, site)));
  t->ready_since = decisions_;
  t->stop_with(op);
  aside([&] { pending_.insert(*t); });
  progress();
  *created = t;
  return 0;
}

void Execution::thread_body(Thread& t) {
  known_thread = true;
  Execution& self = runtime->execution;
  RFF_CHECK(self.current_ == &t);
  Operation& op = self.goes_on(t);
  self.runtime_.accesses.executed(t, op);
  self.progress();
  // Names on the stack count from here, and the program's frames begin at the same place on every
  // carrier.
  auto here = reinterpret_cast<std::uint64_t>(__builtin_alloca(16));
  if (t.first_frame != 0) {
    RFF_CHECK(here >= t.first_frame);
    auto* space = static_cast<volatile char*>(__builtin_alloca(here - t.first_frame));
    space[0] = 0;
    here = t.first_frame;
  }
  self.runtime_.locations.remove_stack(t);
  t.stack_high = here;
  self.runtime_.locations.add_stack(t);
  signals::take(Interruption::kNone);
  t.result = t.entry(t.argument);
}

void Execution::end_current() {
  Thread& t = *current_;
  runtime_.accesses.finish_write(t);
  t.state = ThreadState::kEnded;
  changed(&t);
  --live_;
  runtime_.accesses.object_event(t, OpKind::kThreadEnd, reinterpret_cast<std::uint64_t>(&t),
                                 t.created_at);
  runtime_.locations.remove_stack(t);
  if (t.signal_stack.ss_flags != SS_DISABLE) {
    findings::use_own_stack();
  }
  progress();
  if (live_ == 0) {
    carrier_->end(t, nullptr);
    return;
  }
  if (t.detached) {
    left_behind_.push_back(&t);
  }
  Thread* next = choose(nullptr);
  ++switches;
  current_ = next;
  carrier_->end(t, next);
}

void Execution::release(Thread& t) {
  if (t.released) {
    return;
  }
  RFF_CHECK(&t != current_);
  t.released = true;
  if (t.index == 0) {
    return;  // the C library keeps what the main thread has
  }
  InsideRuntime guard;
  keeping_vectors(current_->vectors, [&] { aside([&] { carrier_->release(t); }); });
}

int Execution::detach(Thread& t) {
  if (t.detached) {
    return EINVAL;
  }
  t.detached = true;
  if (t.state == ThreadState::kEnded) {
    release(t);
  }
  return 0;
}

Thread* Execution::find(pthread_t handle) {
  const auto* known = by_handle_.find(handle);
  Thread* t = known != nullptr ? known->value : threads_.front();
  return t->handle == handle && !t->released ? t : nullptr;
}

}  // namespace rff
