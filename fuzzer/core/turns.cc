#include "fuzzer/core/turns.h"

#include <algorithm>

namespace rff {
namespace {

constexpr std::size_t kMaxPeriod = 64;
constexpr std::size_t kLeastRounds = 2;

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

void Turns::add(const RunSummary& run, const RecordedOrder& recorded) {
  Run added;
  std::vector<std::vector<std::uint64_t>> sites;  // by thread
  for (std::size_t i = 0; i < run.steps.size() && i < recorded.kept.size(); ++i) {
    const Step& s = run.steps[i];
    if (!recorded.kept[i]) {
      continue;
    }
    if (s.thread >= sites.size()) {
      sites.resize(s.thread + 1u);
    }
    if (sites[s.thread].size() < kMaxPoints) {
      sites[s.thread].push_back(run.events[s.event].site.packed());
    }
  }
  for (std::size_t thread = 0; thread < sites.size(); ++thread) {
    Rounds rounds = find_rounds(sites[thread]);
    if (rounds.period > 0) {
      added.threads.push_back({static_cast<std::uint16_t>(thread), sites[thread].size(), rounds});
    }
  }
  if (added.threads.size() < 2) {
    return;
  }
  for (const Decision& d : *recorded.entries) {
    bool loops = std::any_of(added.threads.begin(), added.threads.end(),
                             [&](const Looping& l) { return l.thread == d.thread; });
    if (loops || added.before.size() >= kMaxPoints) {
      break;
    }
    added.before.push_back({d.thread, EventCheck()});
  }
  if (runs_.size() >= kMaxRuns) {
    runs_.erase(runs_.begin());
  }
  runs_.push_back(std::move(added));
}

bool Turns::take(Random& random, Schedule& schedule) {
  if (runs_.empty()) {
    return false;
  }
  // The newest of the runs that have been used least.
  auto run = std::min_element(runs_.rbegin(), runs_.rend(),
                              [](const Run& a, const Run& b) { return a.taken < b.taken; });
  std::uint64_t taken = run->taken++;
  std::size_t first = random.below(run->threads.size());
  std::size_t other = random.below(run->threads.size() - 1);
  other += other >= first ? 1 : 0;
  if (run->threads.size() == 2 && taken < 2) {
    first = taken;  // each of them first, before anything else is tried
    other = 1 - taken;
  }
  const Looping& a = run->threads[first];
  const Looping& b = run->threads[other];
  bool plain = taken < 2 || random.chance(1, 2);
  std::size_t a_rounds = plain || random.chance(1, 2) ? 1 : 2 + random.below(2);
  std::size_t b_rounds = plain || random.chance(1, 2) ? 1 : 2 + random.below(2);
  std::size_t shift = taken < 2 ? 0 : random.below(a.rounds.period);
  write_down(*run, a, b, a_rounds, b_rounds, shift, schedule);
  return true;
}

void Turns::write_down(const Run& run, const Looping& a, const Looping& b, std::size_t a_rounds,
                       std::size_t b_rounds, std::size_t shift, Schedule& schedule) {
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
    go_on(a, a_at, a_rounds * a.rounds.period);
    go_on(b, b_at, b_rounds * b.rounds.period);
  }
  schedule.guided = true;
  schedule.scheduler = SchedulerKind::kSteady;
}

}  // namespace rff
