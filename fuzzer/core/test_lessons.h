// Lessons of runs made by hand, for the tests of strategies.
#pragma once

#include "fuzzer/core/strategies/strategy.h"
#include "fuzzer/core/test_runs.h"

namespace rff::test_data {

// Shows strategies the lessons that they would get in a search, from shared knowledge.
class Teacher {
 public:
  void show(Strategy& strategy, const FakeRun& run, const Strategy* proposer = nullptr,
            const Schedule& schedule = {}) {
    RunSummary summary = run.summary();
    Lesson lesson = knowledge.learn(schedule, summary);
    lesson.proposer = proposer;
    strategy.observe(schedule, lesson);
  }

  Knowledge knowledge{FuzzPlan{}};
};

}  // namespace rff::test_data
