// For tests: a program of threads that read, write and lock, run as the runtime would run it.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "schedule/schedule_file.h"

namespace rff {

struct SimulatedStep {
  OpKind op = OpKind::kRead;  // kRead, kWrite, kReadModifyWrite (adds), kLock, kUnlock
  int place = 0;
  int value = 0;
  bool stops = true;  // otherwise it is a part of the step before it
};
// Returns the next step of a thread, which depends on what it has read so far; nothing at its end.
using SimulatedThread = std::function<std::optional<SimulatedStep>(const std::vector<int>& read)>;

// A thread that makes these steps, whatever it reads. Not for two reads in a row that decide.
inline SimulatedThread straight(std::vector<SimulatedStep> steps) {
  return [steps = std::move(steps)](const std::vector<int>& made) -> std::optional<SimulatedStep> {
    return made.size() < steps.size() ? std::optional(steps[made.size()]) : std::nullopt;
  };
}

inline std::vector<SimulatedThread> many(std::size_t n, const std::vector<SimulatedStep>& steps) {
  return std::vector<SimulatedThread>(n, straight(steps));
}

class SimulatedProgram {
 public:
  explicit SimulatedProgram(std::vector<SimulatedThread> threads) : threads_(std::move(threads)) {}

  // Runs the plan to the end. The summary is valid until the next run.
  RunSummary run(const Exploration& plan) {
    begin();
    std::vector<std::uint32_t> asleep(plan.asleep.begin(), plan.asleep.end());
    Random random(plan.seed);
    std::uint32_t last = 0;
    for (std::uint32_t made = 0;; ++made) {
      std::vector<std::uint32_t> able;
      for (std::uint32_t t = 0; t < threads_.size(); ++t) {
        if (can_run(t)) {
          able.push_back(t);
        }
      }
      if (able.empty()) {
        break;
      }
      last = choose(plan, able, asleep, made, last, random);
      bool reads_last = plan.rest == Exploration::Rest::kReadsLast;
      note(reads_last ? std::vector<std::uint32_t>{last} : able, made, last);
      order.push_back(last);
      SimulatedStep step = *next(last);
      execute(last, step);
      while (next(last) && !next(last)->stops) {
        execute(last, *next(last));
      }
      if (made + 1 > plan.order.size()) {
        std::erase_if(asleep, [&](std::uint32_t t) {
          return t == last || !next(t) ||
                 (conflict(step, *next(t)) && (!reads_last || op_writes(step.op)));
        });
      }
    }
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (next(t)) {
        considered_.push_back(row(t, static_cast<std::uint32_t>(order.size())));
      }
    }
    RunSummary summary;
    summary.outcome = deadlocked() ? RunOutcome::kFinding : RunOutcome::kNormal;
    summary.finding = deadlocked() ? FindingKind::kDeadlock : FindingKind::kNone;
    summary.events = events_;
    summary.steps = steps_;
    summary.considered = considered_;
    return summary;
  }

  std::vector<std::uint32_t> order;  // the threads that made the steps of the latest run

 private:
  void begin() {
    memory_.clear();
    holders_.clear();
    read_.assign(threads_.size(), {});
    events_.clear();
    steps_.clear();
    considered_.clear();
    order.clear();
  }

  std::optional<SimulatedStep> next(std::uint32_t t) const { return threads_[t](read_[t]); }
  bool can_run(std::uint32_t t) const {
    std::optional<SimulatedStep> step = next(t);
    return step && !(step->op == OpKind::kLock && holders_.contains(step->place));
  }
  bool deadlocked() const {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (next(t)) {
        return true;
      }
    }
    return false;
  }

  std::uint32_t choose(const Exploration& plan, const std::vector<std::uint32_t>& able,
                       const std::vector<std::uint32_t>& asleep, std::uint32_t made,
                       std::uint32_t last, Random& random) const {
    auto contains = [](const auto& list, std::uint32_t t) {
      return std::find(list.begin(), list.end(), t) != list.end();
    };
    if (made < plan.order.size() && contains(able, plan.order[made].thread)) {
      return plan.order[made].thread;
    }
    std::vector<std::uint32_t> awake;
    for (std::uint32_t t : able) {
      if (!contains(asleep, t)) {
        awake.push_back(t);
      }
    }
    const std::vector<std::uint32_t>& from = awake.empty() ? able : awake;
    if (plan.rest == Exploration::Rest::kRandom) {
      return from[random.below(from.size())];
    }
    if (plan.rest == Exploration::Rest::kReadsLast) {
      auto writer = std::find_if(from.begin(), from.end(),
                                 [&](std::uint32_t t) { return !op_reads(next(t)->op); });
      return writer == from.end() ? from.front() : *writer;
    }
    auto it = std::lower_bound(from.begin(), from.end(), last);
    return it == from.end() ? from.front() : *it;
  }

  static AbstractEvent event_of(const SimulatedStep& step, std::uint32_t thread) {
    bool object = step.op == OpKind::kLock || step.op == OpKind::kUnlock;
    auto address = static_cast<std::uint64_t>(step.place);
    return AbstractEvent::make(step.op, {LocationKind::kGlobal, 1, 8 * address}, object ? 0 : 4,
                               {1, thread * 1000 + static_cast<std::uint32_t>(step.op)});
  }
  static std::uint64_t address_of(const SimulatedStep& step) {
    return 0x1000 + 8 * static_cast<std::uint64_t>(step.place);
  }
  static bool conflict(const SimulatedStep& a, const SimulatedStep& b) {
    return a.place == b.place && (op_writes(a.op) || op_writes(b.op));
  }

  ConsideredAction row(std::uint32_t t, std::uint32_t choice) const {
    SimulatedStep step = *next(t);
    AbstractEvent event = event_of(step, t);
    auto flags =
        static_cast<std::uint8_t>((step.op == OpKind::kLock ? ConsideredAction::kMayWait : 0) |
                                  (op_writes(step.op) ? ConsideredAction::kWrites : 0));
    return {address_of(step), event.id(), choice, flags, step.op, static_cast<std::uint16_t>(t), 4};
  }
  void note(const std::vector<std::uint32_t>& able, std::uint32_t made, std::uint32_t chosen) {
    for (std::uint32_t t : able) {
      considered_.push_back(row(t, made));
      considered_.back().flags |= t == chosen ? ConsideredAction::kChosen : 0;
    }
  }

  void execute(std::uint32_t t, const SimulatedStep& step) {
    AbstractEvent event = event_of(step, t);
    steps_.push_back({address_of(step), 0, static_cast<std::uint32_t>(events_.size()),
                      static_cast<std::uint16_t>(t),
                      static_cast<std::uint16_t>(
                          step.stops ? EventCheck::of(event.id()).bits() | Step::kPoint : 0)});
    events_.push_back(event);
    int& word = memory_[step.place];
    read_[t].push_back(word);
    switch (step.op) {
      case OpKind::kWrite: word = step.value; break;
      case OpKind::kReadModifyWrite: word += step.value; break;
      case OpKind::kLock: holders_[step.place] = t; break;
      case OpKind::kUnlock: holders_.erase(step.place); break;
      default: break;
    }
  }

  std::vector<SimulatedThread> threads_;
  std::map<int, int> memory_;
  std::map<int, std::uint32_t> holders_;
  std::vector<std::vector<int>> read_;  // one value for each step made
  std::vector<AbstractEvent> events_;
  std::vector<Step> steps_;
  std::vector<ConsideredAction> considered_;
};

}  // namespace rff
