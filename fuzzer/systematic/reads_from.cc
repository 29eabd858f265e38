#include "fuzzer/systematic/reads_from.h"

#include <algorithm>
#include <map>

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
  find_places();
  find_pasts();
  find_problem();
}

void ReadsFrom::find_places() {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
  for (std::size_t j = 0; j < all(); ++j) {
    const Touch& place = step(j).touches[0];
    auto [it, is_new] = known.try_emplace({place.begin, place.end}, places_.size());
    place_of_.push_back(it->second);
    if (!is_new) {
      continue;
    }
    Place& p = places_.emplace_back();
    for (std::size_t i = 0; i < executed(); ++i) {
      const std::vector<Touch>& touches = step(i).touches;
      if (std::any_of(touches.begin(), touches.end(),
                      [&](const Touch& t) { return writes(t) && same_bytes(t, place); })) {
        p.writers.push_back(i);
        p.is_writer.insert(i);
      }
    }
  }
}

bool ReadsFrom::reads(std::size_t j) const {
  const ExploredStep& s = step(j);
  const Touch& t = s.touches[0];
  return t.begin != 0 && (t.object || op_reads(s.op));
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
    if (j < executed() && reads(j)) {
      const std::vector<std::size_t>& writers = writers_of(j);
      auto after = std::lower_bound(writers.begin(), writers.end(), j);
      if (after != writers.begin()) {
        writers_[j] = *(after - 1);
        past.insert(past_[writers_[j]]);
        past.insert(writers_[j]);
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
