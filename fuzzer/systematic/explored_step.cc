#include "fuzzer/systematic/explored_step.h"

#include <algorithm>

namespace rff {
// A system call may depend on those of other threads, and the end of the process, also by a
// failure, on everything.
bool ordered_by_system(const ExploredStep& a, const ExploredStep& b) {
  return a.ends_process || b.ends_process || a.op == OpKind::kExit || b.op == OpKind::kExit ||
         (a.op == OpKind::kSyscall && b.op == OpKind::kSyscall);
}

bool conflict_with_operation(const ExploredStep& a, const ExploredStep& b) {
  return std::any_of(a.touches.begin(), a.touches.end(),
                     [&](const Touch& x) { return overlap(x, b.touches[0]); });
}

bool ExploredStep::could_be_made_by(std::uint16_t other) const {
  return std::binary_search(options.begin(), options.end(), other);
}

SharedStep ExploredStep::bare() const {
  ExploredStep copy;
  copy.thread = thread;
  copy.check = check;
  copy.op = op;
  copy.ends_process = ends_process;
  copy.may_wait = may_wait;
  copy.may_write = may_write;
  copy.may_fail = may_fail;
  copy.touches = touches;
  copy.awaited = awaited;
  copy.values = values;
  copy.bounds = bounds;
  return std::make_shared<const ExploredStep>(std::move(copy));
}

namespace {

bool awaits(const ExploredStep& a, const ExploredStep& b) {
  return std::any_of(a.awaited.begin(), a.awaited.end(), [&](const AwaitedChange& awaited) {
    return std::any_of(b.touches.begin(), b.touches.end(), [&](const Touch& t) {
      return t.writes && t.begin < awaited.end && awaited.begin < t.end;
    });
  });
}

}  // namespace

bool conflict(const ExploredStep& a, const ExploredStep& b) {
  if (ordered_by_system(a, b)) {
    return true;
  }
  if ((!a.awaited.empty() && awaits(a, b)) || (!b.awaited.empty() && awaits(b, a))) {
    return true;
  }
  for (const Touch& x : a.touches) {
    for (const Touch& y : b.touches) {
      if (overlap(x, y)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace rff
