#include "libsched/memory/stack_check.h"

#include "libsched/engine/execution.h"

namespace rff {
namespace {

bool has(const Thread& t, std::uint64_t address) {
  return address >= t.stack_low && address < t.stack_high;
}

}  // namespace

void StackCheck::start(const Checks& checks, const Execution& execution, OtherStacks& stacks,
                       MemoryErrorListener& listener) {
  checks_ = &checks;
  execution_ = &execution;
  stacks_ = &stacks;
  listener_ = &listener;
}

// The program may use memory that it gave itself for a stack as it likes. The frames of a main
// thread that has ended while others go on stay where they were, and programs rely on that.
bool StackCheck::is_checked(const Thread& t) const {
  return t.parent == nullptr ? t.state != ThreadState::kEnded : stacks_->made_here(t);
}

// Returns the other thread whose stack has the address. A stack is used again when its thread has
// ended.
const Thread* StackCheck::owner(const Thread& t, std::uint64_t address) const {
  const Thread* ended = nullptr;
  if (has(t, address)) {
    return nullptr;
  }
  for (const Thread* other : execution_->threads()) {
    if (other != &t && !other->attendant && has(*other, address)) {
      if (other->state != ThreadState::kEnded) {
        return other;
      }
      ended = other;
    }
  }
  return ended;
}

void StackCheck::access(const Thread& t, const MemoryCheck::Access& a) const {
  const Thread* other = owner(t, a.address);
  if (other == nullptr || !is_checked(*other)) {
    return;
  }
  bool ended = other->state == ThreadState::kEnded;
  if ((!ended && a.address >= stacks_->lowest_frame(*other)) || ignores(*checks_, a.site)) {
    return;
  }
  FoundMemoryError error;
  error.kind = FindingKind::kStackUseAfterReturn;
  MemoryErrorFacts& f = error.facts;
  f.op = a.op;
  f.area = MemoryArea::kStack;
  f.thread = t.index;
  f.address = f.wrong = a.address;
  f.size = a.size;
  f.allocated_by = other->index;
  f.freed_by = ended ? other->index : kNoThread;
  f.step = a.step;
  error.place = a.site;
  listener_->memory_error(error);
}

}  // namespace rff
