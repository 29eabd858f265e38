// The explorations against closed forms and brute force.
#include <gtest/gtest.h>

#include <set>

#include "fuzzer/common/exploration_state.h"
#include "fuzzer/systematic/random_programs.h"
#include "fuzzer/systematic/reads_from_explorer.h"
#include "fuzzer/systematic/scheduling_graph.h"
#include "fuzzer/systematic/simulated_classes.h"
#include "fuzzer/systematic/trace_explorer.h"

namespace rff {
namespace {

using Rest = Exploration::Rest;

struct Counts {
  std::uint64_t classes = 0, redundant = 0, reads_from = 0, failing = 0;
  std::vector<std::vector<std::uint32_t>> orders;
};

Counts explore(Explorer& explorer, const Threads& threads, Rest rest = Rest::kFirst,
               std::uint64_t seed = 1) {
  SimulatedProgram program(threads);
  Random random(seed);
  std::set<std::uint64_t> reads_from;
  Counts counts;
  while (std::optional<Exploration> plan = explorer.next(random)) {
    plan->rest = rest;
    plan->seed = random.next();
    RunSummary summary = program.run(*plan);
    ExploredRun run(summary);
    EXPECT_EQ(run.problem(), "");
    reads_from.insert(run.reads_from());
    counts.failing += summary.failed() ? 1 : 0;
    counts.orders.push_back(program.order);
    if (!explorer.observe(run) || counts.orders.size() > 100'000) {
      ADD_FAILURE() << "the exploration does not end";
      return counts;
    }
  }
  EXPECT_DOUBLE_EQ(explorer.part_done(), 1);
  counts.classes = explorer.classes();
  counts.redundant = explorer.redundant();
  counts.reads_from = reads_from.size();
  return counts;
}

// Explores traces with ten seeds, all with the same counts, and returns them.
Counts traces(const Threads& threads) {
  TraceExplorer first;
  Counts counts = explore(first, threads);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TraceExplorer explorer;
    Counts other = explore(explorer, threads, Rest::kRandom, seed);
    EXPECT_EQ(other.classes, counts.classes) << "seed " << seed;
    EXPECT_EQ(other.reads_from, counts.reads_from) << "seed " << seed;
    EXPECT_EQ(other.failing, counts.failing) << "seed " << seed;
  }
  return counts;
}

Counts interleavings(const Threads& threads, Rest pick = Rest::kFirst,
                     ExplorationBound bound = ExplorationBound::kNone, std::uint32_t most = 0) {
  SchedulingGraph graph(pick, bound, most);
  return explore(graph, threads, bound == ExplorationBound::kNone ? pick : Rest::kFirst);
}

TEST(Interleavings, TwoThreadsWithTwoStepsHaveSixInAGivenOrder) {
  Counts counts = interleavings(many(2, {write(0), write(0)}));
  std::vector<std::vector<std::uint32_t>> expected = {{0, 0, 1, 1}, {0, 1, 1, 0}, {0, 1, 0, 1},
                                                      {1, 1, 0, 0}, {1, 0, 0, 1}, {1, 0, 1, 0}};
  EXPECT_EQ(counts.orders, expected);
  EXPECT_EQ(counts.classes, 6u);
}

TEST(Interleavings, NoneComesTwice) {
  for (Rest pick : {Rest::kFirst, Rest::kLast, Rest::kRandom}) {
    Counts counts = interleavings(many(3, {read(0), write(1)}), pick);
    EXPECT_EQ(counts.classes, 90u);
    EXPECT_EQ(std::set(counts.orders.begin(), counts.orders.end()).size(), 90u);
  }
}

TEST(Interleavings, StoreBufferingAndThreeIncrements) {
  EXPECT_EQ(interleavings({straight({write(0), read(1)}), straight({write(1), read(0)})}).classes,
            6u);
  EXPECT_EQ(interleavings(many(3, {read(0), write(0)})).classes, 90u);
}

// Counts by recursion the orders of two or more threads with so many steps each, with at most
// `left` preemptions or delays.
std::uint64_t brute_force(std::vector<int> steps, std::size_t last, int left, bool delays) {
  std::vector<std::size_t> able;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    if (steps[t] > 0) {
      able.push_back(t);
    }
  }
  if (able.empty()) {
    return 1;
  }
  std::size_t usual = 0;
  while (usual < able.size() && able[usual] < last) {
    ++usual;
  }
  usual = usual == able.size() ? 0 : usual;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < able.size(); ++i) {
    int cost = delays ? static_cast<int>((i + able.size() - usual) % able.size())
                      : (able[usual] == last && i != usual ? 1 : 0);
    if (cost <= left) {
      --steps[able[i]];
      sum += brute_force(steps, able[i], left - cost, delays);
      ++steps[able[i]];
    }
  }
  return sum;
}

TEST(Interleavings, BoundsAreThoseOfBruteForce) {
  for (std::size_t n : {2, 3}) {
    for (int most = 0; most <= 3; ++most) {
      Threads threads = many(n, {write(0), write(0), write(0)});
      std::vector<int> steps(n, 3);
      EXPECT_EQ(interleavings(threads, Rest::kFirst, ExplorationBound::kPreemptions,
                              static_cast<std::uint32_t>(most))
                    .classes,
                brute_force(steps, 0, most, false));
      EXPECT_EQ(interleavings(threads, Rest::kRandom, ExplorationBound::kDelays,
                              static_cast<std::uint32_t>(most))
                    .classes,
                brute_force(steps, 0, most, true));
    }
  }
}

TEST(Interleavings, ARaisedBoundExploresNothingTwice) {
  Threads threads = many(2, {write(0), write(0), write(0)});
  SchedulingGraph graph(Rest::kFirst, ExplorationBound::kPreemptions, 0);
  std::uint64_t all = 0;
  for (std::uint32_t bound = 0; bound <= 5; ++bound) {
    graph.raise_bound(bound);
    all += explore(graph, threads).orders.size();
    EXPECT_EQ(all, graph.classes());
    EXPECT_EQ(all, brute_force({3, 3}, 0, static_cast<int>(bound), false));
    EXPECT_EQ(graph.cut_by_bound(), all < 20);
  }
  EXPECT_EQ(all, 20u);
}

struct Expected {
  std::uint64_t traces, reads_from;
};
void expect_traces(const Threads& threads, Expected expected) {
  Counts counts = traces(threads);
  EXPECT_EQ(counts.classes, expected.traces);
  EXPECT_EQ(counts.reads_from, expected.reads_from);
  EXPECT_EQ(counts.redundant, 0u);
  ReadsFromExplorer explorer;
  counts = explore(explorer, threads, Rest::kReadsLast);
  EXPECT_EQ(explorer.not_suited(), "");
  EXPECT_EQ(counts.reads_from, expected.reads_from);
  EXPECT_EQ(counts.classes, expected.reads_from);
  EXPECT_LE(counts.redundant, counts.classes);
}

TEST(Traces, OfTheUsualShapes) {
  expect_traces({straight({write(0), read(1)}), straight({write(1), read(0)})}, {3, 3});
  expect_traces({straight({write(0), write(1)}), straight({read(1), read(0)})}, {3, 3});
  expect_traces({straight({write(0), write(1)}), straight({write(1), write(0)})}, {3, 1});
  expect_traces({straight({write(0)}), straight({write(1)}), straight({read(0), read(1)}),
                 straight({read(1), read(0)})},
                {15, 15});
}

TEST(Traces, OfOneWriterAndReaders) {
  for (std::size_t n : {1, 2, 5, 8}) {
    Threads threads = many(n, {read(0)});
    threads.push_back(straight({write(0)}));
    expect_traces(threads, {std::uint64_t{1} << n, std::uint64_t{1} << n});
  }
}

TEST(Traces, OfWritersAndIncrements) {
  expect_traces(many(4, {write(0)}), {24, 1});
  expect_traces(many(4, {add(0)}), {24, 24});
  expect_traces(many(2, {read(0), write(0)}), {4, 3});
  expect_traces(many(3, {read(0), write(0)}), {36, 16});
  expect_traces(many(4, {read(0), write(0)}), {576, 125});
}

// Thread i sets a[i] to a[i-1] + 1, and one looks from a[n] down for the first 0.
Threads last_zero(int n) {
  Threads threads;
  threads.push_back([n](const std::vector<int>& read_so_far) -> std::optional<SimulatedStep> {
    auto at = static_cast<int>(read_so_far.size());
    bool found = at > 0 && read_so_far.back() == 0;
    return found || at > n ? std::nullopt : std::optional(read(n - at));
  });
  for (int i = 1; i <= n; ++i) {
    threads.push_back([i](const std::vector<int>& made) -> std::optional<SimulatedStep> {
      return made.empty()       ? std::optional(read(i - 1))
             : made.size() == 1 ? std::optional(write(i, made[0] + 1))
                                : std::nullopt;
    });
  }
  return threads;
}

TEST(Traces, OfLastZero) {
  expect_traces(last_zero(2), {5, 5});
  expect_traces(last_zero(5), {64, 64});
  TraceExplorer ten;
  Counts counts = explore(ten, last_zero(10));
  EXPECT_EQ(counts.classes, 3'328u);
  EXPECT_EQ(counts.redundant, 0u);
}

TEST(Traces, OfReorder) {
  for (std::uint64_t n : {1, 2, 3}) {
    Threads threads = many(n, {write(0), write(1, -1)});
    threads.push_back(straight({read(0), read(1)}));
    std::uint64_t orders = 1;
    for (std::uint64_t i = 2; i <= n + 1; ++i) {
      orders *= i;
    }
    expect_traces(threads, {orders * orders, (n + 1) * (n + 1)});
  }
}

TEST(Traces, OfTwoCountersAndAReader) {
  auto counter = [](int place) {
    std::vector<SimulatedStep> steps(10, write(place));
    return straight(steps);
  };
  expect_traces({counter(0), counter(1), straight({read(0), read(1)})}, {121, 121});
}

TEST(Traces, OfLocks) {
  expect_traces(many(3, {lock(0), unlock(0)}), {6, 6});
  Threads opposite = {straight({lock(0), lock(1), unlock(1), unlock(0)}),
                      straight({lock(1), lock(0), unlock(0), unlock(1)})};
  Counts counts = traces(opposite);
  EXPECT_EQ(counts.classes, 3u);
  EXPECT_EQ(counts.failing, 1u);
  EXPECT_EQ(interleavings(opposite).classes, 6u);
}

TEST(Traces, OfThreePhilosophers) {
  Threads threads;
  for (int i = 0; i < 3; ++i) {
    int left = i, right = (i + 1) % 3;
    threads.push_back(straight({lock(left), lock(right), unlock(right), unlock(left)}));
  }
  Counts counts = traces(threads);
  EXPECT_EQ(counts.classes, 7u);
  EXPECT_EQ(counts.failing, 1u);
  EXPECT_EQ(interleavings(threads).classes, 168u);
}

// Random programs, with locks and deadlocks: every class of all interleavings, and each once.
TEST(Traces, OfRandomProgramsAreThoseOfAllInterleavings) {
  Random random(2024);
  for (int round = 0; round < 100; ++round) {
    expect_all_classes(random_threads(random), random, "round " + std::to_string(round));
  }
}

TEST(Verdict, IsCompleteOnlyIfNothingSpeaksAgainstIt) {
  ExplorationState s;
  s.classes = 7;
  s.reads_from_classes = 5;
  SystematicChoice choice;
  EXPECT_EQ(verdict_text(s, choice), "stopped: 7 trace classes explored, nothing fails");
  s.part_done = 0.5;
  EXPECT_EQ(verdict_text(s, choice),
            "stopped: 7 trace classes explored, about 14 estimated, nothing fails");
  s.finished = true;
  EXPECT_EQ(verdict_text(s, choice),
            "complete: all 7 trace classes (5 by reads-from) explored, nothing fails");
  EXPECT_EQ(verdict_name(s), "complete");
  s.failing = 1;
  EXPECT_EQ(verdict_text(s, choice),
            "complete: all 7 trace classes (5 by reads-from) explored, 1 fails");
  s.reason = "a run was unresponsive";
  EXPECT_EQ(verdict_text(s, choice),
            "not complete: a run was unresponsive; 7 trace classes explored, 1 fails");
  s.reason.clear();
  s.cut_by_bound = true;
  s.bound = 2;
  choice.classes = SystematicChoice::Classes::kInterleavings;
  choice.bound = ExplorationBound::kPreemptions;
  EXPECT_EQ(verdict_text(s, choice),
            "bound reached: all 7 interleavings with at most 2 preemptions explored, 1 fails; "
            "there are more");
}

TEST(Verdict, SaysThatItHoldsForTheChosenStopPoints) {
  ExplorationState s;
  s.chosen_points = true;
  s.finished = true;
  s.classes = 6;
  SystematicChoice choice;
  choice.classes = SystematicChoice::Classes::kInterleavings;
  EXPECT_EQ(verdict_text(s, choice),
            "complete at the chosen stop points: all 6 interleavings explored, nothing fails");
  EXPECT_EQ(verdict_name(s), "complete at the chosen stop points");
  s.cut_by_bound = true;
  choice.bound = ExplorationBound::kDelays;
  EXPECT_EQ(verdict_text(s, choice),
            "bound reached at the chosen stop points: all 6 interleavings with at most 0 delays "
            "explored, nothing fails; there are more");
  EXPECT_EQ(verdict_text(s, {1, 3, 1}, choice),
            "bound reached at the chosen stop points: all 3 interleavings with at most 1 delay "
            "explored, 1 fails; there are more");
}

}  // namespace
}  // namespace rff
