// For tests: compares the trace classes of a simulated program with those of all its interleavings.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzzer/systematic/scheduling_graph.h"
#include "fuzzer/systematic/simulated_program.h"
#include "fuzzer/systematic/trace_explorer.h"

namespace rff {

// The orders of conflicting steps, each named by its thread and how many that made before.
using TraceOrders = std::set<std::array<std::size_t, 4>>;
inline TraceOrders orders_of(const ExploredRun& run) {
  TraceOrders orders;
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

// The classes that the explorer runs, and how often it runs each.
inline std::map<TraceOrders, int> classes_of(Explorer& explorer,
                                             const std::vector<SimulatedThread>& threads,
                                             Exploration::Rest rest, Random& random) {
  SimulatedProgram program(threads);
  std::map<TraceOrders, int> seen;
  while (std::optional<Exploration> plan = explorer.next(random)) {
    plan->rest = rest;
    plan->seed = random.next();
    RunSummary summary = program.run(*plan);
    ExploredRun run(summary);
    EXPECT_EQ(run.problem(), "");
    ++seen[orders_of(run)];
    if (!explorer.observe(run)) {
      ADD_FAILURE() << "the same choices led to different runs";
      break;
    }
  }
  return seen;
}

// Expects that trace classes are those of all interleavings, and each is counted once.
inline void expect_all_classes(const std::vector<SimulatedThread>& threads, Random& random,
                               const std::string& what, bool large_steps = false) {
  SchedulingGraph graph(Exploration::Rest::kFirst, ExplorationBound::kNone, 0);
  TraceExplorer explorer(large_steps);
  std::map<TraceOrders, int> all = classes_of(graph, threads, Exploration::Rest::kFirst, random);
  std::map<TraceOrders, int> found =
      classes_of(explorer, threads, Exploration::Rest::kRandom, random);
  std::size_t missing = 0;
  for (const auto& [orders, runs] : all) {
    missing += found.contains(orders) ? 0 : 1;
  }
  ASSERT_EQ(missing, 0u) << what;
  ASSERT_EQ(found.size(), all.size()) << what;
  ASSERT_EQ(explorer.classes(), all.size()) << what;
}

}  // namespace rff
