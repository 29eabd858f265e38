// For tests: random programs, with locks and deadlocks, and what tells their trace classes apart.
#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "fuzzer/systematic/explored_run.h"
#include "fuzzer/systematic/simulated_program.h"

namespace rff {

using Threads = std::vector<SimulatedThread>;
using StepOrders = std::set<std::array<std::size_t, 4>>;

constexpr SimulatedStep read(int place) { return {OpKind::kRead, place, 0}; }
constexpr SimulatedStep write(int place, int value = 1) { return {OpKind::kWrite, place, value}; }
constexpr SimulatedStep add(int place) { return {OpKind::kReadModifyWrite, place, 1}; }
constexpr SimulatedStep lock(int place) { return {OpKind::kLock, place, 0}; }
constexpr SimulatedStep unlock(int place) { return {OpKind::kUnlock, place, 0}; }

// The orders of conflicting steps, each named by its thread and how many that made before.
inline StepOrders orders_of(const ExploredRun& run) {
  StepOrders orders;
  std::map<std::uint16_t, std::size_t> made;
  std::vector<std::size_t> ordinal;
  for (std::size_t j = 0; j < run.steps().size(); ++j) {
    const ExploredStep& later = run.steps()[j];
    ordinal.push_back(++made[later.thread]);
    for (std::size_t i = 0; i < j; ++i) {
      const ExploredStep& earlier = run.steps()[i];
      if (earlier.thread != later.thread && conflict(earlier, later)) {
        orders.insert({earlier.thread, ordinal[i], later.thread, ordinal[j]});
      }
    }
  }
  // Threads that never come to a step of theirs, as in a deadlock, make a difference, too.
  for (auto [thread, steps] : made) {
    orders.insert({thread, steps, 0, 0});
  }
  return orders;
}

inline std::vector<SimulatedStep> random_steps(Random& random, std::uint64_t most) {
  std::vector<SimulatedStep> steps;
  int held = 0;  // 0: none
  for (std::uint64_t n = 1 + random.below(most); steps.size() < n;) {
    int place = static_cast<int>(random.below(2));
    switch (random.below(4)) {
      case 0: steps.push_back(read(place)); break;
      case 1: steps.push_back(write(place)); break;
      case 2: steps.push_back(add(place)); break;
      default:
        steps.push_back(held != 0 ? unlock(held) : lock(10 + place));
        held = held != 0 ? 0 : 10 + place;
    }
  }
  if (held != 0 && random.chance(3, 4)) {
    steps.push_back(unlock(held));
  }
  return steps;
}

// Two or three threads with at most `most` steps each, and perhaps one more to unlock.
inline Threads random_threads(Random& random, std::uint64_t most = 4) {
  Threads threads;
  for (std::uint64_t n = 2 + random.below(2); threads.size() < n;) {
    threads.push_back(straight(random_steps(random, most)));
  }
  return threads;
}

}  // namespace rff
