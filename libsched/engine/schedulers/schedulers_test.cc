// Compares distributions of the schedulers on tiny programs with hand-computed probabilities.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "libsched/engine/schedulers/hand.h"
#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

using Make = std::unique_ptr<Scheduler> (*)(std::uint64_t seed);

std::map<std::string, double> distribution(Make make,
                                           const std::vector<std::vector<Operation>>& program) {
  constexpr int kRuns = 40000;
  std::map<std::string, double> share;
  for (int seed = 0; seed < kRuns; ++seed) {
    Memory memory;
    auto scheduler = make(mix64(static_cast<std::uint64_t>(seed) + 12345));
    share[interleave(*scheduler, memory, program)] += 1.0 / kRuns;
  }
  return share;
}

// Expects a share within five standard deviations of the exact value.
void expect_share(std::map<std::string, double>& share, const std::string& order, double exact) {
  EXPECT_NEAR(share[order], exact, 5 * std::sqrt(exact * (1 - exact) / 40000) + 1e-12) << order;
}

void expect_the_same(std::map<std::string, double>& share, std::map<std::string, double>& other) {
  std::set<std::string> orders;
  for (const auto& [order, s] : other) orders.insert(order);
  for (const auto& [order, s] : share) orders.insert(order);
  EXPECT_GT(orders.size(), 5u);
  for (const std::string& order : orders) {
    double p = (other[order] + share[order]) / 2;
    EXPECT_NEAR(share[order], other[order], 5 * std::sqrt(2 * p * (1 - p) / 40000)) << order;
  }
}

template <SchedulerKind kKind>
std::unique_ptr<Scheduler> seeded(std::uint64_t seed) {
  static Memory none;
  Schedule s;
  s.scheduler = kKind;
  s.seed = seed;
  return make_scheduler(s, none);
}
template <std::uint32_t kDepth>
std::unique_ptr<Scheduler> pct_of_length_2(std::uint64_t seed) {
  static Memory none;
  Schedule s;
  s.scheduler = SchedulerKind::kPct;
  s.seed = seed;
  s.pct_depth = kDepth;
  s.pct_length = 2;
  return make_scheduler(s, none);
}

std::vector<std::vector<Operation>> racing() {
  return {{make_operation(OpKind::kWrite, kX, 1), make_operation(OpKind::kWrite, kX, 2)},
          {make_operation(OpKind::kWrite, kX, 3)}};
}
// Only 2 and 3 race.
std::vector<std::vector<Operation>> partly_racing() {
  return {{make_operation(OpKind::kWrite, kY, 1), make_operation(OpKind::kWrite, kX, 2)},
          {make_operation(OpKind::kWrite, kX, 3)}};
}

TEST(RandomWalk, EveryEnabledThreadIsEquallyLikely) {
  auto share = distribution(seeded<SchedulerKind::kRandom>, racing());
  expect_share(share, "312", 0.5);
  expect_share(share, "132", 0.25);
  expect_share(share, "123", 0.25);
}

TEST(Pos, RacingEventsDrawNewScores) {
  auto share = distribution(seeded<SchedulerKind::kPos>, racing());
  expect_share(share, "312", 0.5);
  expect_share(share, "132", 0.25);
  expect_share(share, "123", 0.25);
}

TEST(Pos, IndependentEventsKeepTheirScores) {
  // 3 stays behind 1 with the lower of two uniform scores, so 2 overtakes it with probability 2/3.
  auto share = distribution(seeded<SchedulerKind::kPos>, partly_racing());
  expect_share(share, "312", 1.0 / 2);
  expect_share(share, "132", 1.0 / 6);
  expect_share(share, "123", 1.0 / 3);
}

TEST(BasicPos, RacingEventsKeepTheirScores) {
  auto share = distribution(seeded<SchedulerKind::kBpos>, racing());
  expect_share(share, "312", 1.0 / 2);
  expect_share(share, "132", 1.0 / 6);
  expect_share(share, "123", 1.0 / 3);
}

// Partial order sampling by its definition: a score for every pending event, the highest runs, and
// the events racing with it draw new ones.
class PlainPos : public Scheduler, private CrowdListener {
 public:
  explicit PlainPos(std::uint64_t seed) : random_(seed) {}
  CrowdListener* crowds() override { return this; }
  void pending(Thread& t) override { scores_[t.index] = random_.next(); }
  Thread* pick(const PendingThreads& threads) override {
    Thread* best = nullptr;
    threads.eager().for_each([&](std::uint32_t index) {
      best = best == nullptr || scores_[index] > scores_[best->index] ? &threads[index] : best;
    });
    return best;
  }
  void executed(Thread& t, const Operation&, const PendingThreads& others) override {
    others.all().for_each([&](std::uint32_t index) {
      if (others[index].crowd->races_with(t)) {
        scores_[index] = random_.next();
      }
    });
  }

 private:
  Random random_;
  std::map<std::uint32_t, std::uint64_t> scores_;
};

// Crowds draw their scores late and together. The order has the same probabilities as with scores
// drawn one by one, for threads that race with others of their crowd, for threads that do not, and
// for threads that join a crowd of which others have been drawn.
TEST(Pos, CrowdsHaveTheProbabilitiesOfTheirThreads) {
  Operation read = make_operation(OpKind::kRead, kX, 1);
  Operation write = make_operation(OpKind::kWrite, kX, 2);
  Operation other = make_operation(OpKind::kWrite, kY, 3);
  Operation read_other = make_operation(OpKind::kRead, kY, 4);
  std::vector<std::vector<Operation>> programs[] = {
      {{write}, {write}, {write}, {other}, {read}},
      {{read}, {read}, {read}, {other, read}, {write}},
      {{read_other, read}, {read}, {read, write}, {other}},
      {{write, read}, {write, read}, {other, write}, {read_other}}};
  for (const auto& program : programs) {
    auto exact = distribution(
        [](std::uint64_t seed) -> std::unique_ptr<Scheduler> {
          return std::make_unique<PlainPos>(~seed);
        },
        program);
    auto share = distribution(seeded<SchedulerKind::kPos>, program);
    expect_the_same(share, exact);
  }
}

// Each thread of a crowd is equally likely to be first, and second.
TEST(Pos, ThreadsOfACrowdAreEquallyLikely) {
  constexpr std::size_t kThreads = 5;
  constexpr int kRuns = 40000;
  double share[2][kThreads] = {};
  for (int seed = 0; seed < kRuns; ++seed) {
    auto scheduler = seeded<SchedulerKind::kPos>(mix64(static_cast<std::uint64_t>(seed)));
    PendingThreads pending;
    pending.start(scheduler->crowds(), kNoPreemption);
    Operation op = make_operation(OpKind::kRead, kX, 1);
    std::vector<Thread> threads(kThreads);
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      threads[i].index = i;
      threads[i].stop_with(op);
      pending.insert(threads[i]);
    }
    for (auto& shares : share) {
      Thread& t = *scheduler->pick(pending);
      shares[t.index] += 1.0 / kRuns;
      pending.erase(t);
      scheduler->executed(t, op, pending);
    }
  }
  for (auto& shares : share) {
    for (double s : shares) {
      EXPECT_NEAR(s, 0.2, 5 * std::sqrt(0.2 * 0.8 / kRuns));
    }
  }
}

TEST(Score, IsExponentiallyDistributed) {
  Random random(1);
  constexpr int kDraws = 200000;
  const double limits[] = {0.01, 0.1, 0.5, 0.75, 1, 1.3, 2, 2.5, 5, 8};
  std::map<double, int> above;
  for (int i = 0; i < kDraws; ++i) {
    double score = std::ldexp(static_cast<double>(draw_score(random)), -kScoreBits);
    for (double limit : limits) {
      above[limit] += score > limit;
    }
  }
  for (double limit : limits) {
    double p = std::exp2(-limit);
    EXPECT_NEAR(static_cast<double>(above[limit]) / kDraws, p, 5 * std::sqrt(p * (1 - p) / kDraws))
        << limit;
  }
}

// Between a thread's two accesses to one place the others are ten times as likely: a score is
// beaten by a fifth of another one only in one case of ten.
TEST(Window, OthersComeBetweenTwoAccessesToOnePlace) {
  std::vector<std::vector<Operation>> program = {
      {make_operation(OpKind::kRead, kX, 1), make_operation(OpKind::kWrite, kX, 2)},
      {make_operation(OpKind::kWrite, kX, 3)}};
  auto share = distribution(seeded<SchedulerKind::kWindow>, program);
  expect_share(share, "312", 0.5);
  expect_share(share, "132", 0.45);
  expect_share(share, "123", 0.05);
}

// A write ends the windows of all threads of a crowd: they are as likely as any other afterwards.
TEST(Window, EndsWithAWriteInACrowd) {
  std::vector<Operation> reads = {make_operation(OpKind::kRead, kX, 1),
                                  make_operation(OpKind::kRead, kX, 2)};
  auto share =
      distribution(seeded<SchedulerKind::kWindow>, {reads,
                                                    reads,
                                                    {make_operation(OpKind::kWrite, kX, 3)},
                                                    {make_operation(OpKind::kWrite, kX, 4)}});
  double reads_next = 0;
  double writes_next = 0;
  for (const auto& [order, s] : share) {
    reads_next += order.starts_with("1132") ? s : 0;
    writes_next += order.starts_with("1134") ? s : 0;
  }
  double both = reads_next + writes_next;
  EXPECT_GT(both, 0.04);
  EXPECT_NEAR(writes_next / both, 1.0 / 3, 5 * std::sqrt(2.0 / 9 / (40000 * both)));
}

std::string order_of(const Schedule& s, const std::vector<std::vector<Operation>>& program) {
  Memory memory;
  auto scheduler = make_scheduler(s, memory);
  return interleave(*scheduler, memory, program);
}

std::vector<std::vector<Operation>> three_by_two() {
  return {{make_operation(OpKind::kWrite, kX, 1), make_operation(OpKind::kWrite, kX, 2)},
          {make_operation(OpKind::kWrite, kX, 3), make_operation(OpKind::kWrite, kX, 4)},
          {make_operation(OpKind::kWrite, kX, 5), make_operation(OpKind::kWrite, kX, 6)}};
}

Decision entry(std::uint16_t thread, std::uint32_t site) {
  Operation op = make_operation(OpKind::kWrite, kX, site);
  return {thread, EventCheck::of(op.id)};
}

TEST(Steady, NeverPreempts) {
  Schedule s;
  s.scheduler = SchedulerKind::kSteady;
  EXPECT_EQ(order_of(s, three_by_two()), "123456");
}

TEST(RoundRobin, TheFirstThreadThenEveryPointAnother) {
  Schedule s;
  s.scheduler = SchedulerKind::kRoundRobin;
  EXPECT_EQ(order_of(s, three_by_two()), "125364");
}

TEST(RoundRobin, AfterABarrierOneThreadGoesOn) {
  Schedule s;
  s.scheduler = SchedulerKind::kRoundRobin;
  auto program = three_by_two();
  program[2][0] = make_operation(OpKind::kBarrier, kX, 5);
  EXPECT_EQ(order_of(s, program), "125634");
}

TEST(RoundRobin, WithAnOddSeedThreadsGetOutOfStep) {
  std::vector<std::vector<Operation>> program(3);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    for (int i = 0; i < 12; ++i) {
      program[thread].push_back(make_operation(OpKind::kWrite, kX, thread));
    }
  }
  Schedule s;
  s.scheduler = SchedulerKind::kRoundRobin;
  s.seed = 2;
  EXPECT_EQ(order_of(s, program).substr(12), "212121212121212121212121");
  std::set<std::string> orders;
  for (s.seed = 1; s.seed < 400; s.seed += 2) {
    orders.insert(order_of(s, program));
  }
  // One to three points in a row for each of two threads, in either order.
  EXPECT_EQ(orders.size(), 18);
}

TEST(Guided, FollowsTheOrderAndThenTheOtherScheduler) {
  Schedule s;
  s.scheduler = SchedulerKind::kSteady;
  s.guided = true;
  s.prefix = {entry(2, 5), entry(0, 1), entry(1, 3)};
  EXPECT_EQ(order_of(s, three_by_two()), "513426");
}

TEST(Guided, PointsThatWereNoneWhenItWasRecordedGoWithWhatFollowsThem) {
  Schedule s;
  s.scheduler = SchedulerKind::kSteady;
  s.guided = true;
  s.prefix = {entry(1, 4), entry(0, 2)};  // 3 and 1 were no points
  EXPECT_EQ(order_of(s, three_by_two()), "341256");
}

TEST(Guided, EntriesThatNoLongerComeAreSkipped) {
  Schedule s;
  s.scheduler = SchedulerKind::kSteady;
  s.guided = true;
  s.prefix = {entry(1, 77), entry(1, 3), entry(2, 5), entry(1, 4)};
  EXPECT_EQ(order_of(s, three_by_two()), "354126");
}

TEST(Pct, DepthOneNeverPreempts) {
  auto share = distribution(pct_of_length_2<1>, racing());
  expect_share(share, "312", 0.5);
  expect_share(share, "123", 0.5);
  expect_share(share, "132", 0);
}

TEST(Pct, RunsTheHighestOfThreadsThatDoTheSame) {
  std::vector<Operation> twice = {make_operation(OpKind::kWrite, kX, 1),
                                  make_operation(OpKind::kWrite, kY, 2)};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    auto scheduler = pct_of_length_2<1>(seed);
    Memory memory;
    EXPECT_EQ(interleave(*scheduler, memory, {twice, twice, twice}), "121212") << seed;
  }
}

TEST(Pct, DepthTwoHasOneChangePoint) {
  auto share = distribution(pct_of_length_2<2>, racing());
  expect_share(share, "312", 0.5);
  expect_share(share, "123", 0.25);
  expect_share(share, "132", 0.25);
}

}  // namespace
}  // namespace rff
