#include "fuzzer/core/strategies/paper_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun run_with_pair(std::uint32_t write_site) {
  FakeRun run;
  run.reads_from(write_at(kX, write_site), read_at(kX, 2));
  return run;
}

TEST(PaperStrategy, MutatesTheEmptyScheduleWhileTheCorpusIsEmpty) {
  EventPool pool;
  Corpus corpus;
  PaperStrategy paper(pool, corpus);
  Random random(1);
  EXPECT_TRUE(paper.propose(random)->constraints.empty());  // no pair is known
  FakeRun run = run_with_pair(1);
  pool.observe(run.summary());
  bool constrained = false;
  for (int i = 0; i < 20; ++i) {
    constrained |= !paper.propose(random)->constraints.empty();
  }
  EXPECT_TRUE(constrained);
}

TEST(PaperStrategy, MutatesMembersOfTheCorpus) {
  EventPool pool;  // knows no pair, so only deletion and negation are possible
  Corpus corpus;
  AbstractSchedule member;
  member.insert({write_at(kX, 1), read_at(kX, 2), true});
  member.insert({write_at(kX, 3), read_at(kX, 2), true});
  FakeRun run = run_with_pair(1);
  corpus.add(member, run.summary());
  PaperStrategy paper(pool, corpus);
  Random random(1);
  bool changed = false;
  for (int i = 0; i < 50; ++i) {
    std::optional<Schedule> schedule = paper.propose(random);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->scheduler, SchedulerKind::kRff);
    EXPECT_FALSE(schedule->guided);
    EXPECT_GE(schedule->constraints.size(), 1u);
    changed |= schedule->constraints != member;
  }
  EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace rff
