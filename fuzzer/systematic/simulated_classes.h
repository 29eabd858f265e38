// For tests: compares the trace classes of a simulated program with those of all its interleavings.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fuzzer/systematic/random_programs.h"
#include "fuzzer/systematic/scheduling_graph.h"
#include "fuzzer/systematic/trace_explorer.h"

namespace rff {

// The classes that the explorer runs, and how often it runs each.
inline std::map<StepOrders, int> classes_of(Explorer& explorer,
                                            const std::vector<SimulatedThread>& threads,
                                            Exploration::Rest rest, Random& random) {
  SimulatedProgram program(threads);
  std::map<StepOrders, int> seen;
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
  std::map<StepOrders, int> all = classes_of(graph, threads, Exploration::Rest::kFirst, random);
  std::map<StepOrders, int> found =
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
