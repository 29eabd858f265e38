// explored_test PROGRAM cut|whole: trace classes and interleavings must have the same reads-from
// classes where the process ends before its threads do. `cut`: a failure ends it, and the search
// must say that trace classes are not all there is.
#include <gtest/gtest.h>

#include "fuzzer/core/fuzz_core.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string program;
bool cut = false;

ExplorationState explore(const std::string& search) {
  Server server({program});
  FuzzPlan plan;
  plan.search = *parse_search(search).choice;
  FuzzCore core(plan);
  std::uint32_t known = 0;
  while (!core.finished()) {
    Schedule s = core.next_schedule(server.shared().points.size());
    RunResult r = server.run(s);
    auto& points = server.shared().points;
    core.add_points({points.begin() + known, points.size() - known});
    known = points.size();
    core.report(s, summarize(r.run()));
  }
  return *core.exploration();
}

TEST(Explored, TracesMissNothingThatInterleavingsShow) {
  ExplorationState traces = explore("systematic");
  ExplorationState all = explore("systematic:classes=interleavings");
  EXPECT_EQ(all.reason, "");
  EXPECT_EQ(traces.reason.empty(), !cut) << traces.reason;
  if (!cut) {
    EXPECT_EQ(traces.reads_from_classes, all.reads_from_classes);
  }
  EXPECT_EQ(traces.failing > 0, all.failing > 0);
  EXPECT_GT(traces.classes, 1u);
  EXPECT_GT(all.classes, traces.classes);
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: explored_test PROGRAM cut|whole\n");
    return 2;
  }
  rff::test::program = argv[1];
  rff::test::cut = std::string_view(argv[2]) == "cut";
  return RUN_ALL_TESTS();
}
