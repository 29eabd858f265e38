#include "fuzzer/core/turns.h"

#include <algorithm>

namespace rff {
namespace {

constexpr std::size_t kMaxPeriod = 64;
constexpr std::size_t kLeastRounds = 2;

// A loop that a compiler has unrolled does the same at many places in code.
std::uint64_t action_of(const AbstractEvent& e) {
  return hash_combine(location_key(e), static_cast<std::uint64_t>(e.op));
}

}  // namespace

Rounds find_rounds(std::span<const std::uint64_t> sequence) {
  Rounds best;
  for (std::size_t period = 1; period <= std::min(kMaxPeriod, sequence.size() / kLeastRounds);
       ++period) {
    std::size_t same = 0;  // how long everything has been what came a period ago
    for (std::size_t i = period; i < sequence.size(); ++i) {
      same = sequence[i] == sequence[i - period] ? same + 1 : 0;
      std::size_t length = same + period;
      if (same >= (kLeastRounds - 1) * period && length > best.end - best.begin) {
        best = {i + 1 - length, i + 1, period};
      }
    }
  }
  return best;
}

std::vector<Rounds> find_all_rounds(std::span<const std::uint64_t> sequence, std::size_t most) {
  std::vector<Rounds> found;
  std::vector<Rounds> open = {{0, sequence.size(), 0}};  // parts not looked at
  while (!open.empty() && found.size() < most) {
    Rounds part = open.back();
    open.pop_back();
    Rounds r = find_rounds(sequence.subspan(part.begin, part.end - part.begin));
    if (r.period > 0) {
      r.begin += part.begin;
      r.end += part.begin;
      found.push_back(r);
      open.push_back({part.begin, r.begin, 0});
      open.push_back({r.end, part.end, 0});
    }
  }
  return found;
}

// The places that the rounds of a loop read and write.
class Turns::Feeders {
 public:
  Feeders(const RunSummary& run, const Points& points, const Looping& loop) : loop_(loop) {
    for (std::size_t i = loop.rounds.begin; i < loop.rounds.begin + loop.rounds.period; ++i) {
      const AbstractEvent& e = run.events[points.events[i]];
      code_ = hash_combine(code_, points.actions[i]);
      if (op_accesses(e.op) && e.reads()) {
        reads_.push_back(location_key(e));
      }
      if (op_accesses(e.op) && e.writes()) {
        writes_.push_back(location_key(e));
      }
    }
  }

  const Looping& loop() const { return loop_; }
  std::uint64_t code() const { return code_; }

  // Whether each of the loops reads what the other one writes, at two places.
  bool feeds_and_eats(const Feeders& other) const {
    for (std::uint64_t given : writes_) {
      for (std::uint64_t taken : other.writes_) {
        if (given != taken && contains(other.reads_, given) && contains(reads_, taken)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  static bool contains(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  Looping loop_;
  std::uint64_t code_ = 0;
  std::vector<std::uint64_t> reads_, writes_;
};

std::vector<Turns::Points> Turns::points_of(const RunSummary& run, const RecordedOrder& recorded) {
  std::vector<Points> points;
  for (std::size_t i = 0; i < run.steps.size() && i < recorded.kept.size(); ++i) {
    const Step& s = run.steps[i];
    if (!recorded.kept[i]) {
      continue;
    }
    if (s.thread >= points.size()) {
      points.resize(s.thread + 1u);
    }
    Points& own = points[s.thread];
    if (own.events.size() < kMaxPoints) {
      own.sites.push_back(run.events[s.event].site.packed());
      own.actions.push_back(action_of(run.events[s.event]));
      own.events.push_back(s.event);
    }
  }
  return points;
}

void Turns::add(const RunSummary& run, const RecordedOrder& recorded) {
  clear_if_full(fed_, bounds_);
  Run added;
  std::vector<Feeders> loops;
  std::vector<Points> points = points_of(run, recorded);
  for (std::size_t thread = 0; thread < points.size(); ++thread) {
    const Points& own = points[thread];
    Looping loop = {static_cast<std::uint16_t>(thread), own.events.size(), find_rounds(own.sites)};
    if (loop.rounds.period > 0) {
      added.threads.push_back(loop);
    }
    for (const Rounds& r : find_all_rounds(own.actions, kMaxLoops)) {
      loop.rounds = r;
      loops.emplace_back(run, own, loop);
    }
  }
  added.feeding = couples_of(loops);
  if (added.threads.size() < 2 && added.feeding.empty()) {
    return;
  }
  for (const Decision& d : *recorded.entries) {
    bool loops_too = std::any_of(loops.begin(), loops.end(),
                                 [&](const Feeders& l) { return l.loop().thread == d.thread; });
    if (loops_too || added.before.size() >= kMaxPoints) {
      break;
    }
    added.before.push_back({d.thread, EventCheck()});
  }
  if (runs_.size() >= kMaxRuns) {
    runs_.erase(runs_.begin());
  }
  runs_.push_back(std::move(added));
}

std::vector<Turns::Couple> Turns::couples_of(const std::vector<Feeders>& loops) {
  std::vector<Couple> couples;
  for (const Feeders& a : loops) {
    for (const Feeders& b : loops) {
      if (a.loop().thread != b.loop().thread && couples.size() < kMaxFeeding &&
          a.feeds_and_eats(b) && fed_.insert(hash_combine(a.code(), b.code())).second) {
        couples.push_back({a.loop(), b.loop()});
      }
    }
  }
  std::reverse(couples.begin(), couples.end());  // they are taken from the end
  return couples;
}

bool Turns::take_feeding(Schedule& schedule) {
  for (Run& run : runs_) {
    if (!run.feeding.empty()) {
      write_down(run, run.feeding.back(), 1, 1, 0, schedule);
      run.feeding.pop_back();
      return true;
    }
  }
  return false;
}

bool Turns::take(Random& random, bool feeding, Schedule& schedule) {
  if (take_feeding(schedule)) {
    return true;
  }
  // The newest of the runs that have been used least.
  auto run = std::min_element(runs_.rbegin(), runs_.rend(), [](const Run& a, const Run& b) {
    return a.threads.size() >= 2 && (b.threads.size() < 2 || a.taken < b.taken);
  });
  if (feeding || run == runs_.rend() || run->threads.size() < 2) {
    return false;
  }
  std::uint64_t taken = run->taken++;
  std::size_t first = random.below(run->threads.size());
  std::size_t other = random.below(run->threads.size() - 1);
  other += other >= first ? 1 : 0;
  if (run->threads.size() == 2 && taken < 2) {
    first = taken;  // each of them first, before anything else is tried
    other = 1 - taken;
  }
  Couple couple = {run->threads[first], run->threads[other]};
  bool plain = taken < 2 || random.chance(1, 2);
  std::size_t first_rounds = plain || random.chance(1, 2) ? 1 : 2 + random.below(2);
  std::size_t other_rounds = plain || random.chance(1, 2) ? 1 : 2 + random.below(2);
  std::size_t shift = taken < 2 ? 0 : random.below(couple.first.rounds.period);
  write_down(*run, couple, first_rounds, other_rounds, shift, schedule);
  return true;
}

void Turns::write_down(const Run& run, const Couple& couple, std::size_t first_rounds,
                       std::size_t other_rounds, std::size_t shift, Schedule& schedule) {
  const auto& [a, b] = couple;
  std::vector<Decision>& order = schedule.prefix;
  order = run.before;
  auto go_on = [&](const Looping& of, std::size_t& at, std::size_t points) {
    for (; points > 0 && at < of.points; --points, ++at) {
      order.push_back({of.thread, EventCheck()});
    }
  };
  std::size_t a_at = 0;
  std::size_t b_at = 0;
  go_on(a, a_at, a.rounds.begin);
  go_on(b, b_at, b.rounds.begin);
  go_on(a, a_at, shift);
  while (order.size() < kMaxPoints && (a_at < a.rounds.end || b_at < b.rounds.end)) {
    go_on(a, a_at, first_rounds * a.rounds.period);
    go_on(b, b_at, other_rounds * b.rounds.period);
  }
  schedule.guided = true;
  schedule.scheduler = SchedulerKind::kSteady;
}

}  // namespace rff
