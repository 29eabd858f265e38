// A small random concurrent program that is interpreted by the test. It follows schedules well
// enough that every part of the search can learn and propose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzzer/core/test_runs.h"
#include "schedule/schedule_file.h"

namespace rff::test_data {

class TestProgram {
 public:
  struct Shape {
    std::uint64_t seed = 1;
    std::uint16_t threads = 4;
    std::uint16_t roles = 2;  // threads with the same role run the same code
    std::uint32_t length = 12;
    std::uint64_t variables = 4;
  };

  explicit TestProgram(const Shape& shape) : shape_(shape) {
    Random random(shape.seed);
    for (std::uint16_t role = 0; role < shape.roles; ++role) {
      std::vector<Instruction> code;
      while (code.size() < shape.length) {
        append(code, random);
      }
      code_.push_back(std::move(code));
    }
  }

  // Deterministic: the same schedule gives the same run. Some runs end in a finding.
  FakeRun run(const Schedule& schedule) const {
    State state(shape_);
    Random random(hash_combine(schedule.seed, schedule.constraints.hash()));
    std::size_t followed = 0;
    std::uint16_t last = 0;
    for (std::uint32_t n = 0; n < kMaxSteps; ++n) {
      std::vector<std::uint16_t> enabled = enabled_threads(state);
      if (enabled.empty()) {
        break;
      }
      last = choose(schedule, enabled, followed, last, random);
      execute(state, last, schedule.points.every_access);
    }
    bool failed = state.words[0] % 11 == 7;
    FakeRun result(failed ? RunOutcome::kFinding : RunOutcome::kNormal);
    for (const FakeStep& s : state.steps) {
      result.step(s.thread, s.event, s.address, s.value, s.point);
    }
    for (const Constraint& pair : state.pairs) {
      result.reads_from(pair.write, pair.read);
    }
    result.points(state.steps.size() * (1 + schedule.seed % 16));  // some runs cost more
    return result;
  }

 private:
  static constexpr std::uint32_t kMaxSteps = 400;
  static constexpr std::uint64_t kLock = 63;  // the variable that is a lock

  enum class Action { kRead, kAdd, kStore, kExchange, kLock, kUnlock };
  struct Instruction {
    Action action;
    std::uint64_t variable;
    std::uint64_t operand;  // kRead: skips the next instruction if the value is a multiple of it
  };
  struct FakeStep {
    std::uint16_t thread;
    AbstractEvent event;
    std::uint64_t address;
    std::uint64_t value;
    bool point;
  };
  struct State {
    explicit State(const Shape& shape)
        : next(shape.threads, 0), words(64, 0), writer(64), owner(shape.threads) {
      for (std::uint64_t v = 0; v < writer.size(); ++v) {
        writer[v] = AbstractEvent::init(variable(8 * v));
      }
    }
    std::vector<std::size_t> next;  // per thread: its next instruction
    std::vector<std::uint64_t> words;
    std::vector<AbstractEvent> writer;  // per word: its last write
    std::uint16_t owner;  // thread that holds the lock; the number of threads if none does
    std::vector<FakeStep> steps;
    std::vector<Constraint> pairs;
  };

  void append(std::vector<Instruction>& code, Random& random) const {
    auto access = [&] {
      auto action = static_cast<Action>(random.below(4));
      code.push_back({action, random.below(shape_.variables), 2 + random.below(3)});
    };
    if (random.chance(1, 4)) {
      code.push_back({Action::kLock, kLock, 0});
      access();
      code.push_back({Action::kUnlock, kLock, 0});
    } else {
      access();
    }
  }

  const std::vector<Instruction>& code_of(std::uint16_t thread) const {
    return code_[thread % code_.size()];
  }

  std::vector<std::uint16_t> enabled_threads(const State& state) const {
    std::vector<std::uint16_t> enabled;
    for (std::uint16_t t = 0; t < shape_.threads; ++t) {
      const std::vector<Instruction>& code = code_of(t);
      if (state.next[t] < code.size() &&
          (code[state.next[t]].action != Action::kLock || state.owner == shape_.threads)) {
        enabled.push_back(t);
      }
    }
    return enabled;
  }

  static std::uint16_t choose(const Schedule& schedule, const std::vector<std::uint16_t>& enabled,
                              std::size_t& followed, std::uint16_t last, Random& random) {
    auto can_run = [&](std::uint16_t t) {
      return std::find(enabled.begin(), enabled.end(), t) != enabled.end();
    };
    if (followed < schedule.prefix.size() && can_run(schedule.prefix[followed].thread)) {
      return schedule.prefix[followed++].thread;
    }
    switch (schedule.scheduler) {
      case SchedulerKind::kSteady: return can_run(last) ? last : enabled.front();
      case SchedulerKind::kRoundRobin: {
        auto next = std::upper_bound(enabled.begin(), enabled.end(), last);
        bool stay = schedule.seed % 2 != 0 && random.chance(1, 3) && can_run(last);
        return stay ? last : next == enabled.end() ? enabled.front() : *next;
      }
      default: return enabled[random.below(enabled.size())];
    }
  }

  void execute(State& state, std::uint16_t thread, bool every_access) const {
    const Instruction& i = code_of(thread)[state.next[thread]];
    auto site = static_cast<std::uint32_t>(1000 * (thread % code_.size()) + state.next[thread]);
    ++state.next[thread];
    std::uint64_t& word = state.words[i.variable];
    AbstractEvent e = event_of(i, site);
    switch (i.action) {
      case Action::kRead:
        if (word % i.operand == 0 && state.next[thread] < code_of(thread).size() &&
            code_of(thread)[state.next[thread]].action <= Action::kExchange) {
          ++state.next[thread];
        }
        break;
      case Action::kAdd:
      case Action::kExchange: word += i.operand; break;
      case Action::kStore: word = i.operand; break;
      case Action::kLock: state.owner = thread; break;
      case Action::kUnlock: state.owner = shape_.threads; break;
    }
    if (e.reads()) {
      state.pairs.push_back({state.writer[i.variable], e, true});
    }
    if (e.writes()) {
      state.writer[i.variable] = e;
    }
    bool point = every_access || site % 7 != 6;
    state.steps.push_back({thread, e, 0x1000 + 8 * i.variable, word, point});
  }

  static AbstractEvent event_of(const Instruction& i, std::uint32_t site) {
    Location x = variable(8 * i.variable);
    switch (i.action) {
      case Action::kRead: return read_at(x, site);
      case Action::kAdd:
      case Action::kStore: return write_at(x, site);
      case Action::kExchange: return AbstractEvent::make(OpKind::kReadModifyWrite, x, 4, {7, site});
      case Action::kLock: return object_event(OpKind::kLock, x, site);
      case Action::kUnlock: break;
    }
    return object_event(OpKind::kUnlock, x, site);
  }

  Shape shape_;
  std::vector<std::vector<Instruction>> code_;  // per role
};

}  // namespace rff::test_data
