// Which steps of a run could have come in another order.
#include <algorithm>

#include "fuzzer/systematic/explored_run.h"

namespace rff {
bool ExploredRun::acts_between(std::uint16_t thread, std::size_t i, std::size_t j) const {
  return std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(i),
                     steps_.begin() + static_cast<std::ptrdiff_t>(std::min(j, steps_.size())),
                     [&](const ExploredStep& s) { return s.thread == thread; });
}

// Whether step j, which may have to wait, could have been made in place of step i.
ExploredRun::Possible ExploredRun::could_come_first(std::size_t j, std::size_t i) const {
  const ExploredStep& later = at(j);
  const ExploredStep& earlier = steps_[i];
  if (earlier.could_be_made_by(later.thread) && !acts_between(later.thread, i, j)) {
    return Possible::kYes;
  }
  using enum OpKind;
  if (later.op == kThreadJoin || later.op == kThreadStart) {
    return Possible::kNo;
  }
  if (later.op == kLock ? contains(op_set(kUnlock, kReadUnlock, kWait), earlier.op)
                        : later.op == kReadLock && contains(op_set(kUnlock, kWait), earlier.op)) {
    return Possible::kNo;
  }
  bool took = earlier.op == kLock || (later.op == kSemaphoreWait && earlier.op == kSemaphoreWait);
  return took ? Possible::kYes : Possible::kUnknown;
}

// Returns the steps that happen before the end of the wait with which step j begins.
Bits ExploredRun::before_wait(std::size_t j) const {
  Bits ended = own_[j];
  for (std::size_t i = 0; i < std::min(j, steps_.size()); ++i) {
    if (conflict_with_operation(steps_[i], at(j))) {
      ended.insert(closure_[i]);
      ended.insert(i);
    }
  }
  return ended;
}

// Whether step i changed what step j waits for in its loop.
bool ExploredRun::ends_wait(std::size_t i, std::size_t j) const {
  if (steps_[i].thread == at(j).thread) {
    return false;
  }
  return std::any_of(at(j).awaited.begin(), at(j).awaited.end(), [&](const AwaitedChange& a) {
    return a.from <= i &&
           std::any_of(steps_[i].touches.begin(), steps_[i].touches.end(), [&](const Touch& t) {
             return t.writes && !t.silent && t.begin < a.end && a.begin < t.end;
           });
  });
}

// Whether step j, which waits in a loop, could have been made without step i.
bool ExploredRun::wait_ends_without(std::size_t i, std::size_t j) const {
  for (std::size_t k = 0; k < std::min(j, steps_.size()); ++k) {
    if (k != i && !before(i, k) && ends_wait(k, j)) {
      return true;
    }
  }
  return false;
}

std::vector<ExploredRun::Race> ExploredRun::races_of(std::size_t j) const {
  const ExploredStep& step = at(j);
  std::vector<Race> races;
  Bits ordered = own_[j];
  Bits ended = step.may_wait ? before_wait(j) : Bits();
  for (std::size_t i = std::min(j, steps_.size()); i-- > 0;) {
    if (ordered.contains(i) || steps_[i].thread == step.thread || !conflict(steps_[i], step)) {
      continue;
    }
    Possible possible = Possible::kYes;
    if (steps_[i].op == OpKind::kExit || steps_[i].ends_process) {
      possible = steps_[i].could_be_made_by(step.thread) ? Possible::kYes : Possible::kNo;
    } else if (!step.awaited.empty()) {
      possible = wait_ends_without(i, j) ? Possible::kYes : Possible::kNo;
    } else if (step.may_wait && ended.contains(i)) {
      possible = conflict_with_operation(steps_[i], step) ? could_come_first(j, i) : Possible::kNo;
    }
    if (possible != Possible::kNo) {
      races.push_back({i, possible == Possible::kYes});
    }
    if (possible == Possible::kYes) {
      ordered.insert(closure_[i]);
    }
  }
  return races;
}

}  // namespace rff
