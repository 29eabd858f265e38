#include "fuzzer/systematic/reads_from.h"

#include <algorithm>

#include "fuzzer/systematic/near_steps.h"

namespace rff {
namespace {

bool writes(const Touch& t) { return t.writes || t.object; }
bool reads(const Touch& t) { return t.reads || t.object; }
bool equal(const Touch& a, const Touch& b) {
  return a.begin == b.begin && a.end == b.end && a.object == b.object;
}

}  // namespace

ReadsFrom::ReadsFrom(const ExploredRun& run) : run_(run) {
  find_pasts();
  find_problem();
}

bool ReadsFrom::reads(std::size_t j) const {
  const ExploredStep& s = step(j);
  const Touch& t = s.touches[0];
  return t.begin != 0 && (t.object || op_reads(s.op));
}

bool ReadsFrom::wrote(std::size_t i, std::size_t j) const {
  const Touch& place = step(j).touches[0];
  const std::vector<Touch>& touches = step(i).touches;
  return std::any_of(touches.begin(), touches.end(),
                     [&](const Touch& t) { return writes(t) && same_bytes(t, place); });
}

bool ReadsFrom::may_write(std::size_t i, std::size_t j) const {
  const ExploredStep& s = step(i);
  return (s.may_write && same_bytes(s.touches[0], step(j).touches[0])) || wrote(i, j);
}

void ReadsFrom::find_pasts() {
  writers_.assign(executed(), kInitial);
  for (std::size_t j = 0; j < all(); ++j) {
    Bits own;
    for (std::size_t i = 0; i < std::min(j, executed()); ++i) {
      if (run_.before_by_threads(j).contains(i)) {
        own.insert(past_[i]);
        own.insert(i);
      }
    }
    Bits past = own;
    for (std::size_t i = j; j < executed() && reads(j) && i-- > 0;) {
      if (wrote(i, j)) {
        writers_[j] = i;
        past.insert(past_[i]);
        past.insert(i);
        break;
      }
    }
    own_past_.push_back(std::move(own));
    past_.push_back(std::move(past));
  }
}

// Whether the exploration decides about all that the two steps of different threads have in common.
bool ReadsFrom::decided(std::size_t i, std::size_t j) const {
  const ExploredStep& a = step(i);
  const ExploredStep& b = step(j);
  for (const Touch& x : a.touches) {
    for (const Touch& y : b.touches) {
      if (!same_bytes(x, y) || !(writes(x) || writes(y))) {
        continue;
      }
      bool operation =
          (&x == &a.touches[0] || !rff::reads(x)) && (&y == &b.touches[0] || !rff::reads(y));
      if (!operation || !equal(x, y)) {
        return false;
      }
    }
  }
  return true;
}

// Whether it is determined what step j reads besides what its operation does: the writers before it
// have an order.
bool ReadsFrom::determined(std::size_t j) const {
  const std::vector<Touch>& touches = step(j).touches;
  for (std::size_t n = 1; n < touches.size(); ++n) {
    std::size_t last = j;
    for (std::size_t i = j; i-- > 0 && rff::reads(touches[n]);) {
      bool writer =
          std::any_of(step(i).touches.begin(), step(i).touches.end(),
                      [&](const Touch& t) { return writes(t) && same_bytes(t, touches[n]); });
      if (writer && !past_[last].contains(i)) {
        return false;
      }
      last = writer ? i : last;
    }
  }
  return true;
}

void ReadsFrom::find_problem() {
  if (run_.reads_outside_steps()) {
    problem_ = "accesses before the first scheduling point of a thread";
  }
  std::vector<ExploredStep> steps = run_.steps();
  steps.insert(steps.end(), run_.pending().begin(), run_.pending().end());
  NearSteps near;
  std::size_t exits = executed(), calls = executed();
  for (std::size_t j = 0; j < all(); ++j) {
    const ExploredStep& s = step(j);
    exits = s.op == OpKind::kExit ? std::min(exits, j) : exits;
    if (s.op == OpKind::kSyscall) {
      if (calls < executed() && !ordered(calls, j)) {
        problem_ = "system calls of several threads";
      }
      calls = std::min(calls, j);
    }
    if (j < executed() && !determined(j)) {
      problem_ = "accesses that are no scheduling points";
    }
    for (std::size_t i : near.before(steps, j)) {
      if (step(i).thread != s.thread && !ordered(i, j) && !decided(i, j)) {
        problem_ = "accesses that are no scheduling points or overlap in part";
      }
    }
  }
  for (std::size_t j = 0; j < all() && exits < executed(); ++j) {
    if (j != exits && !ordered(j, exits)) {
      problem_ = "an exit while other threads run";
    }
  }
}

}  // namespace rff
