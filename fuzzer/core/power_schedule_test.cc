#include "fuzzer/core/power_schedule.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

TEST(PowerSchedule, GivesNothingToWhatIsSeenMoreOftenThanAverage) {
  PowerSchedule power;
  EXPECT_EQ(power.energy(2.1, 2.0, 1.0, 5), 0u);
  EXPECT_GT(power.energy(2.0, 2.0, 1.0, 0), 0u);
}

TEST(PowerSchedule, DoublesWithEachChoiceUpToTheLimit) {
  PowerSchedule power({.beta = 1.0, .max_energy = 16});
  std::vector<std::uint32_t> energies;
  for (std::uint32_t s = 0; s < 7; ++s) energies.push_back(power.energy(1, 1, 1.0, s));
  EXPECT_EQ(energies, (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 16, 16}));
  EXPECT_EQ(power.energy(1, 1, 1.0, 4'000'000'000u), 16u);
}

TEST(PowerSchedule, ScalesWithPerformanceOverBeta) {
  PowerSchedule power({.beta = 2.0, .max_energy = 100});
  EXPECT_EQ(power.energy(1, 1, 6.0, 2), 12u);  // 6 / 2 · 4
  EXPECT_EQ(power.energy(1, 1, 0.1, 0), 1u);   // at least one mutant
}

TEST(PowerSchedule, PrefersWhatCostsLessAndShowsMore) {
  Corpus corpus;
  FakeRun cheap, dear;
  cheap.points(10).reads_from(write_at(variable(0), 1), read_at(variable(0), 2));
  dear.points(1000).reads_from(write_at(variable(0), 1), read_at(variable(0), 2));
  corpus.add({}, cheap.summary());
  corpus.add({}, dear.summary());
  EXPECT_GT(PowerSchedule::performance(corpus.members()[0], corpus),
            PowerSchedule::performance(corpus.members()[1], corpus));
}

TEST(PowerSchedule, LetsEverybodyHaveATurnAndSkipsTheCommon) {
  Corpus corpus;
  FakeRun common, rare;
  common.reads_from(write_at(variable(0), 1), read_at(variable(0), 2));
  rare.reads_from(write_at(variable(0), 3), read_at(variable(0), 2));
  corpus.add({}, common.summary());
  corpus.add({}, rare.summary());
  for (int i = 0; i < 10; ++i) corpus.count(common.summary());
  corpus.count(rare.summary());

  PowerSchedule power;
  for (int i = 0; i < 3; ++i) {
    PowerSchedule::Choice choice = power.choose(corpus);
    EXPECT_EQ(choice.member, 1u);
    EXPECT_EQ(choice.energy, 1u << i);
  }
  EXPECT_EQ(corpus.members()[0].chosen_since_skipped, 0u);

  for (int i = 0; i < 9; ++i) corpus.count(rare.summary());  // now both are average
  std::set<std::size_t> chosen = {power.choose(corpus).member, power.choose(corpus).member};
  EXPECT_EQ(chosen.size(), 2u);
}

TEST(PowerSchedule, StartsTheExponentAgainAfterASkip) {
  Corpus corpus;
  FakeRun a, b;
  a.reads_from(write_at(variable(0), 1), read_at(variable(0), 2));
  b.reads_from(write_at(variable(0), 3), read_at(variable(0), 2));
  corpus.add({}, a.summary());
  corpus.add({}, b.summary());
  corpus.count(a.summary());
  corpus.count(b.summary());
  PowerSchedule power;
  for (int i = 0; i < 4; ++i) power.choose(corpus);
  EXPECT_EQ(corpus.members()[0].chosen_since_skipped, 2u);
  for (int i = 0; i < 5; ++i) corpus.count(a.summary());
  power.choose(corpus);
  EXPECT_EQ(corpus.members()[0].chosen_since_skipped, 0u);
  EXPECT_EQ(corpus.members()[1].chosen_since_skipped, 3u);
}

}  // namespace
}  // namespace rff
