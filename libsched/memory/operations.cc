// Implements OperationListener: names the events of operations and makes them take effect.
#include <algorithm>

#include "libsched/memory/private_access.h"
#include "libsched/support/runtime_stack.h"

namespace rff {
namespace {

// Size of a synchronization object: that of the smallest (a spin lock, a futex), so that no
// neighbor is taken for a part of it.
constexpr std::uint64_t kObjectSize = 4;

}  // namespace

void Accesses::name(Operation& op) {
  constexpr std::uint32_t kMostSize = 0xffff;  // of an event
  if (op.code != 0) {
    events_.name(op, events_.intern_site(op.code, op.address, op.op));
    op.event.size = static_cast<std::uint16_t>(std::min(op.size, kMostSize));
  } else if (op.place.kind != LocationKind::kNone) {
    events_.name(op, events_.intern(AbstractEvent::make(op.op, op.place, op.size, op.site)));
  } else {
    events_.name(op, events_.intern(op.op, op.address, op.size, op.site));
  }
}

void Accesses::takes_effect(Thread& t, Operation& op) {
  t.memory->cut_at = execution_.steps + ThreadMemory::kLongestStretch;
  // During a hang proof the thread must stop wherever its loop began.
  // Where its loops are looked at, every access counts.
  bool all = execution_.proving() || t.memory->passes != nullptr;
  t.memory->stretch_end = all ? 0 : t.memory->cut_at;
  if (trace_ != nullptr && (turns_.empty() || turns_.back().thread != t.index)) {
    on_runtime_stack([&] {
      turns_.push_back({static_cast<std::uint32_t>(execution_.steps), t.index});
    });
  }
  executed(t, op);
}

void Accesses::ended(Thread& t) {
  object_event(t, OpKind::kThreadEnd, reinterpret_cast<std::uint64_t>(&t), t.created_at);
  sharing.order.ended(t);
  locations_.remove_stack(t);
}

void Accesses::executed(Thread& t, Operation& op) {
  if (op.tries != nullptr && !op.tries->enabled(op)) {
    op.failed = true;
    op.op = OpKind::kTryLockFailed;
    op.event.op = op.op;
    op.index = events_.intern(op.event);
  }
  std::uint64_t site = op.site.packed();
  events_.add_edge(t.memory->last_site, site);
  t.memory->last_site = site;
  if (op_accesses(op.op)) {
    if (op.expected != nullptr && !memory_holds(op.address, op.size, op.expected)) {
      op.op = OpKind::kRead;
      op.code = range_code(op.op, op.address, op.size, op.site);
      op.index = op.code & ~kInterned;
    }
    // Another thread may have used the words while this one waited.
    // `locked` is known since the thread announced the access.
    Relation relation = use(t, op.op, op.address, op.size, false, op.code);
    Step* step = note_step(t, op.address, op.id, op.index);
    record(t, op.op, op.address, op.size, op.code, kAtPoint, op.index);
    add_value(t, step, op.address, op.size);
    check_access(t, op.op, op.address, op.size, op.code, relation.guarded, relation.shared);
    return;
  }
  std::uint32_t code = kInterned | op.index;
  note_step(t, op.address, op.id, op.index);
  if (op.address != 0 && (op.reads() || op.writes())) {
    record(t, op.op, op.address, kObjectSize, code, kAtPoint, op.index);
    bool guarded = shadow_.cell(op.address).guard != Guard::kGood;
    check_access(t, op.op, op.address, kObjectSize, code, guarded, true);
  } else {
    ++execution_.steps;
    if (t.memory->passes != nullptr && op.op != OpKind::kYield && op.op != OpKind::kCall) {
      t.memory->passes->breaks();
    }
    if (op.op == OpKind::kYield) {
      spins_.watch(t, 0, 0, code);
    }
    note(t, code);
    if (trace_ != nullptr) {
      capture(trace_->here);
      on_runtime_stack([&] { trace_->event(t, op, execution_.steps); });
    }
  }
}

void Accesses::restore_writer(std::uint64_t object, std::uint32_t code, std::uint32_t step) {
  std::uint64_t word = word_of(object);
  shadow_.write(shadow_.cell(word), byte_mask(word, object, kObjectSize), code, 0, step);
}

void Accesses::also_reads(const Operation& op, std::uint32_t code, std::uint32_t step) {
  std::uint32_t writer = code == 0 ? events_.intern(AbstractEvent::init(op.event.object()))
                                   : events_.intern_site(code, op.address, OpKind::kWrite);
  events_.add_pair(writer, op.index);
  if (trace_ != nullptr && code != 0) {
    on_runtime_stack([&] {
      const AbstractEvent& e = events_.event(writer);
      trace_->further_source(execution_.steps, {true, false, step, e.site, thread_at(step), e.op});
    });
  }
}

void Accesses::check_access(const Thread& t, OpKind op, std::uint64_t address, std::uint64_t size,
                            std::uint32_t code, bool guarded, bool shared) {
  bool of_stacks = shared && stack_check_ != nullptr;
  if (!guarded && !of_stacks) [[likely]] {
    return;
  }
  AbstractEvent e = events_.describe(code, address, op);
  bool one_load = (code & kInterned) == 0 && e.size == size;
  MemoryCheck::Access a = {op, address, size, e.site, execution_.steps, one_load};
  if (guarded) {
    check_->access(t, a);
  }
  if (of_stacks) {
    stack_check_->access(t, a);
  }
}

// Returns null if steps are not recorded or there is no room left.
Step* Accesses::note_step(const Thread& t, std::uint64_t address, std::uint64_t id,
                          std::uint32_t event) {
  if (record_ == nullptr) {
    return nullptr;
  }
  auto check = static_cast<std::uint16_t>(id == 0 ? 0 : EventCheck::of(id).bits() | Step::kPoint);
  auto& steps = record_->steps;
  bool fits = steps.append({address, 0, event, static_cast<std::uint16_t>(t.index), check});
  return fits ? &steps.items[steps.size() - 1] : nullptr;
}

void Accesses::add_value(Thread& t, Step* step, std::uint64_t address, std::uint64_t size) {
  if (step != nullptr) {
    std::uint64_t word = word_of(address);
    step->value = shadow_.cell_if_any(word)->value & bit_mask(byte_mask(word, address, size));
    t.memory->announced.step = step;
  }
}

void Accesses::object_event(Thread& t, OpKind op, std::uint64_t object, CodeName site) {
  Operation operation;
  operation.op = op;
  operation.address = object;
  operation.site = site;
  operation.event = AbstractEvent::make(op, {LocationKind::kThread, site.packed(), 0}, 0, site);
  operation.index = events_.intern(operation.event);
  executed(t, operation);
  wipe_stack_below(kStepDepth);  // as Execution::perform does
}

void Accesses::step(Thread& t, Operation& op) {
  std::uint32_t event = events_.intern(op.op, op.address, op.size, op.site);
  op.event = events_.event(event);
  op.index = event;
  op.code = kInterned | event;
  executed(t, op);
}

}  // namespace rff
