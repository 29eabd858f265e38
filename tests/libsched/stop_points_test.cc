// stop_points_test PROGRAM: explores two_stop_points.c, which is patched with its calls, at the
// entries of its four functions.
#include <gtest/gtest.h>

#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/debug/stop_resolver.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string program;

std::vector<StopRule> rules(const std::vector<std::string>& texts) {
  DebugInfo debug;
  StopResolver resolver(debug, {program});
  std::vector<StopRule> result;
  for (const std::string& text : texts) {
    result.push_back(resolver.resolve(*parse_stop_spec(text).spec));
  }
  return result;
}

struct Explored {
  ExplorationState state;
  std::vector<std::string> orders;  // the functions that were entered, in order
};

std::string order_of(const RunRecord& run, DebugInfo& debug) {
  std::string order;
  for (const Step& step : run.steps) {
    const AbstractEvent& event = run.event_list.items[step.event];
    if (event.op == OpKind::kCall) {
      order += (order.empty() ? "" : " ") + debug.place(event).function;
    }
  }
  return order;
}

Explored explore(const std::string& search, const std::vector<std::string>& stops) {
  Server server({program});
  DebugInfo debug;
  debug.add_module(module_hash(program), program);
  FuzzPlan plan;
  plan.search = *parse_search(search).choice;
  plan.stops = rules(stops);
  FuzzCore core(plan);
  std::uint32_t known = 0;
  Explored explored;
  while (!core.finished()) {
    Schedule s = core.next_schedule(server.shared().points.size());
    RunResult r = server.run(s);
    auto& points = server.shared().points;
    core.add_points({points.begin() + known, points.size() - known});
    known = points.size();
    explored.orders.push_back(order_of(r.run(), debug));
    core.report(s, summarize(r.run()));
  }
  explored.state = *core.exploration();
  return explored;
}

const std::vector<std::string> kFour = {"function:compute_data", "function:add", "function:take",
                                        "function:write_line"};

TEST(StopPoints, TwoThreadsWithTwoEachHaveSixInterleavingsInAGivenOrder) {
  Explored e = explore("systematic:classes=interleavings,pick=first", kFour);
  EXPECT_EQ(e.state.reason, "");
  EXPECT_EQ(e.state.classes, 6u);
  EXPECT_EQ(e.orders, (std::vector<std::string>{
                          "compute_data add take write_line", "compute_data take write_line add",
                          "compute_data take add write_line", "take write_line compute_data add",
                          "take compute_data add write_line", "take compute_data write_line add"}));
}

// Only `add` and `take` conflict.
TEST(StopPoints, TraceClassesKnowWhatLiesBetweenTwoStops) {
  Explored e = explore("systematic", kFour);
  EXPECT_EQ(e.state.reason, "");
  EXPECT_EQ(e.state.classes, 2u);
  EXPECT_EQ(e.state.reads_from_classes, 2u);
}

// The threads' accesses lie between their start and their first stop, so starting is a step.
TEST(StopPoints, WithPrimitivesAloneBothOrdersOfTheThreadsAreThere) {
  Explored e = explore("systematic", {"primitives"});
  EXPECT_EQ(e.state.reason, "");
  EXPECT_EQ(e.state.reads_from_classes, 2u);
  EXPECT_EQ(e.orders.back(), "");
}

TEST(StopPoints, AllCallsAreThoseOfTheProgramsFunctions) {
  Explored e = explore("systematic", {"calls"});
  EXPECT_EQ(e.state.classes, 2u);
  std::string order = e.orders.back();
  for (const char* function : {"thread1", "thread2", "compute_data", "add", "take", "write_line"}) {
    EXPECT_NE(order.find(function), std::string::npos) << order;
  }
}

TEST(StopPoints, CallsInsideOfOneFunctionAreItsOwn) {
  Explored e = explore("systematic:classes=interleavings", {"calls in:thread1"});
  EXPECT_EQ(e.orders.back(), "thread1 compute_data add");
}

TEST(StopPoints, AccessesToAVariableAreFoundByItsAddress) {
  Explored e = explore("systematic:classes=interleavings", {"variable:count"});
  // `add` reads and writes `count`; `take` reads it, and writes it only if it comes last.
  EXPECT_EQ(e.state.reason, "");
  EXPECT_EQ(e.state.classes, 3u);
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: stop_points_test PROGRAM\n");
    return 2;
  }
  rff::test::program = argv[1];
  return RUN_ALL_TESTS();
}
