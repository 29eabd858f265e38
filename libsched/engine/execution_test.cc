// Unit tests of Execution with fakes around it: scheduling, waiting, and how a run ends.
#include "libsched/engine/execution.h"

#include <gtest/gtest.h>

#include <set>

#include "libsched/engine/fake_program.h"

namespace rff {
namespace {

constexpr std::uint64_t kX = 0x1000;

Schedule with(SchedulerKind kind, std::uint64_t seed) {
  Schedule s;
  s.scheduler = kind;
  s.seed = seed;
  return s;
}

void two_writers(FakeProgram& p) {
  Thread& a = p.create([](FakeProgram& q) {
    q.write(kX, 1);
    q.write(kX, 2);
  });
  Thread& b = p.create([](FakeProgram& q) { q.write(kX, 3); });
  p.join(a, 4);
  p.join(b, 5);
}

TEST(Execution, EveryThreadRunsToItsEndAndEveryOrderComesUp) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FakeProgram p(with(SchedulerKind::kRandom, seed));
    EXPECT_EQ(p.run(two_writers), "");
    EXPECT_EQ(p.execution().live(), 0u);
    std::string writes;
    for (char site : p.order()) {
      writes += site == '1' || site == '2' || site == '3' ? std::string(1, site) : "";
    }
    orders.insert(p.order());
  }
  EXPECT_GE(orders.size(), 3u);
}

TEST(Execution, RecordedDecisionsReplayTheSameOrder) {
  for (SchedulerKind kind : {SchedulerKind::kPos, SchedulerKind::kPct, SchedulerKind::kRandom,
                             SchedulerKind::kRff, SchedulerKind::kRoundRobin}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      FakeProgram first(with(kind, seed));
      ASSERT_EQ(first.run(two_writers), "");
      Schedule replay = with(SchedulerKind::kRandom, seed + 1000);
      replay.prefix = first.decisions();
      FakeProgram second(replay);
      ASSERT_EQ(second.run(two_writers), "");
      EXPECT_EQ(second.order(), first.order());
      EXPECT_EQ(second.decisions(), first.decisions());
      EXPECT_EQ(second.divergences, 0);
    }
  }
}

TEST(Execution, ADecisionThatCannotBeFollowedIsToldOnceAndTheRunGoesOn) {
  Schedule s = with(SchedulerKind::kRandom, 1);
  s.prefix = {{7, 0}, {7, 0}};
  FakeProgram p(s);
  EXPECT_EQ(p.run(two_writers), "");
  EXPECT_EQ(p.divergences, 1);
}

TEST(Execution, ThreadsThatWaitForEachOtherAreADeadlock) {
  FakeProgram p;
  bool never = false;
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    q.create([&](FakeProgram& r) { r.wait(never, 1); });
    q.wait(never, 2);
  }),
            "deadlock");
}

TEST(Execution, AThreadGoesOnOnceWhatItWaitsForHolds) {
  FakeProgram p(with(SchedulerKind::kRandom, 3));
  bool set = false;
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    q.create([&](FakeProgram& r) { r.wait(set, 1); });
    q.write(kX, 2);
    set = true;
    q.write(kX, 3);
  }),
            "");
  EXPECT_LT(p.order().find("main:2"), p.order().find("main.1:1"));
}

TEST(Execution, TimeJumpsToADeadlineOnlyWhenNoThreadCanRun) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  bool never = false;
  bool timed_out = false;
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    q.create([&](FakeProgram& r) { timed_out = r.wait(never, 1, 5'000'000'000); });
    for (int i = 0; i < 100; ++i) {
      q.write(kX, 2);
      EXPECT_EQ(q.execution().now, 0u);
    }
  }),
            "");
  EXPECT_TRUE(timed_out);
  EXPECT_EQ(p.execution().now, 5'000'000'000u);
  EXPECT_EQ(p.flags() & kNeededTimeout, 0u);
}

TEST(Execution, WithAnyTimeoutADeadlineMayPassEarlyAndThatIsNoted) {
  bool early = false;
  for (std::uint64_t seed = 0; seed < 20 && !early; ++seed) {
    Schedule s = with(SchedulerKind::kRandom, seed);
    s.timeouts = kAnyPreemption;
    FakeProgram p(s);
    bool never = false;
    EXPECT_EQ(p.run([&](FakeProgram& q) {
      Thread& t = q.create([&](FakeProgram& r) { r.wait(never, 1, 1'000'000); });
      for (int i = 0; i < 5; ++i) {
        q.write(kX, 2);
      }
      q.join(t, 3);
    }),
              "");
    early = (p.flags() & kNeededTimeout) != 0;
  }
  EXPECT_TRUE(early);
}

// Returns whether a sleep of main.1 ended before main's last step under some seed.
bool sleep_ends_first(std::uint64_t sleep, Preemption preemption) {
  bool first = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Schedule s = with(SchedulerKind::kRandom, seed);
    s.timeouts = preemption;
    FakeProgram p(s);
    bool never = false;
    EXPECT_EQ(p.run([&](FakeProgram& q) {
      Thread& t = q.create([&](FakeProgram& r) {
        r.wait(never, 1, sleep);
        r.write(kX, 4);
      });
      q.write(kX, 2);
      q.write(kX, 3);
      q.join(t, 5);
    }),
              "");
    bool before = p.order().find("main.1:4") < p.order().find("main:3");
    EXPECT_TRUE(!before || (p.flags() & kNeededTimeout) != 0) << p.order();
    first |= before;
  }
  return first;
}

TEST(Execution, AThreadIsPreemptedForSoLongAndNoLonger) {
  EXPECT_FALSE(sleep_ends_first(500'000, kNoPreemption));
  EXPECT_TRUE(sleep_ends_first(500'000, 5'000'000));
  EXPECT_TRUE(sleep_ends_first(5'000'000, 5'000'000));
  EXPECT_FALSE(sleep_ends_first(5'010'000, 5'000'000));
  EXPECT_FALSE(sleep_ends_first(100'000'000, 5'000'000));
  EXPECT_TRUE(sleep_ends_first(100'000'000, kAnyPreemption));
}

// Returns whether a sleep of main.1 ends while main takes so many steps, under every seed.
bool sleep_ends_within(int steps, std::uint64_t sleep, Preemption preemption) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Schedule s = with(SchedulerKind::kRandom, seed);
    s.timeouts = preemption;
    FakeProgram p(s);
    bool never = false, over = false;
    EXPECT_EQ(p.run([&](FakeProgram& q) {
      q.create([&](FakeProgram& r) {
        r.wait(never, 1, sleep);
        r.write(kX, 4);
      });
      for (int i = 0; i < steps; ++i) {
        q.write(kX, 2);
      }
      over = q.order().find("main.1:4") != std::string::npos;
    }),
              "");
    if (!over) {
      return false;
    }
  }
  return true;
}

// A test lets its threads work until it has slept.
TEST(Execution, ALongSleepEndsWhileOthersWork) {
  EXPECT_TRUE(sleep_ends_within(6'000, 8'000'000, 5'000'000));
  EXPECT_FALSE(sleep_ends_within(2'500, 8'000'000, 5'000'000));
  EXPECT_FALSE(sleep_ends_within(6'000, 8'000'000, kNoPreemption));
}

// Many short sleeps are one long one: the other thread is not preempted for their sum.
TEST(Execution, SleepsOfOneThreadAddUp) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Schedule s = with(SchedulerKind::kRandom, seed);
    s.timeouts = 5'000'000;
    FakeProgram p(s);
    bool never = false;
    EXPECT_EQ(p.run([&](FakeProgram& q) {
      Thread& t = q.create([&](FakeProgram& r) {
        for (std::uint64_t i = 1; i <= 10; ++i) {
          r.wait(never, 1, i * 1'000'000);
        }
        r.write(kX, 4);
      });
      q.write(kX, 2);
      q.join(t, 5);
    }),
              "");
    EXPECT_LT(p.order().find("main:2"), p.order().find("main.1:4")) << p.order();
  }
}

TEST(Execution, SpinningThreadsMakeWayForTheOthers) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    Thread& spins = q.create([](FakeProgram& r) { r.read(kX, 1); });
    spins.spin.spinning = true;
    q.execution().reconsider(spins);
    for (int i = 0; i < 50; ++i) {
      q.write(kX, 2);
    }
  }),
            "");
  EXPECT_TRUE(p.order().ends_with("main.1:1"));
}

using Round = std::function<void(FakeProgram&)>;

// Runs two threads that loop `rounds` times without changing anything the other can see.
std::string two_loops(FakeProgram& p, int rounds, const Round& first, const Round& second) {
  auto loop = [rounds](const Round& round) {
    return [rounds, round](FakeProgram& q) {
      for (int i = 0; i < rounds; ++i) {
        q.execution().current().spin.spinning = true;
        round(q);
      }
    };
  };
  return p.run([&](FakeProgram& q) {
    q.create(loop(first));
    loop(second)(q);
  });
}

Schedule suspicious_early() {
  Schedule s = with(SchedulerKind::kRandom, 1);
  s.max_steps = 500;
  return s;
}

constexpr int kForEver = 1 << 30;
constexpr int kForLong = 5000;

TEST(Execution, ThreadsWhoseStateRepeatsHang) {
  FakeProgram p(suspicious_early());
  auto look = [](FakeProgram& q) { q.read(kX, 1); };
  EXPECT_EQ(two_loops(p, kForEver, look, look), "hang");
  EXPECT_FALSE(p.decisions().empty());
  EXPECT_LT(p.decisions().size(), 2000u);
}

TEST(Execution, ThreadsThatTakeTheSameLockForEverHang) {
  FakeProgram p(suspicious_early());
  auto look = [](FakeProgram& q) { q.lock(kX, 1); };
  EXPECT_EQ(two_loops(p, kForEver, look, look), "hang");
}

TEST(Execution, AThreadThatSleepsAgainAndAgainHangs) {
  FakeProgram p(suspicious_early());
  bool never = false;
  auto sleep = [&](FakeProgram& q) { q.wait(never, 1, q.execution().now + 1000); };
  auto look = [](FakeProgram& q) { q.read(kX, 2); };
  EXPECT_EQ(two_loops(p, kForEver, sleep, look), "hang");
}

TEST(Execution, AStateThatGoesOnIsNoHang) {
  FakeProgram p(suspicious_early());
  auto look = [](FakeProgram& q) { q.read(kX, 1); };
  auto count = [](FakeProgram& q) {
    q.read(kX, 2);
    ++q.witness.number;
  };
  EXPECT_EQ(two_loops(p, kForLong, look, count), "");
}

TEST(Execution, ALoopThatIsGivenSomethingFromOutsideIsNoHang) {
  FakeProgram p(suspicious_early());
  auto look = [](FakeProgram& q) { q.read(kX, 1); };
  auto ask = [](FakeProgram& q) {
    q.read(kX, 2);
    q.execution().progress.looked_outside();
  };
  EXPECT_EQ(two_loops(p, kForLong, look, ask), "");
  FakeProgram watched(suspicious_early());
  watched.witness.outside = true;
  EXPECT_EQ(two_loops(watched, kForLong, look, look), "");
}

// In another order the lock might be free.
TEST(Execution, ALockThatTwoThreadsAskForDependsOnTheOrder) {
  FakeProgram p(suspicious_early());
  auto take = [](FakeProgram& q) { q.lock(kX, 1); };
  auto ask = [](FakeProgram& q) { q.try_lock(kX, 2); };
  EXPECT_EQ(two_loops(p, kForLong, take, ask), "");
  FakeProgram apart(suspicious_early());
  auto ask_elsewhere = [](FakeProgram& q) { q.try_lock(kX + 8, 2); };
  EXPECT_EQ(two_loops(apart, kForEver, take, ask_elsewhere), "hang");
}

TEST(Execution, AProofLetsNoWaitEndEarly) {
  FakeProgram p(suspicious_early());
  bool done = false;
  bool expired = false;
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    q.create([&](FakeProgram& r) {
      for (int i = 0; i < kForLong; ++i) {
        r.read(kX, 1);
      }
      done = true;
    });
    expired = q.wait(done, 2, q.execution().now + 1'000'000'000);
  }),
            "");
  EXPECT_FALSE(expired);
}

TEST(Execution, ThreadsThatChangeSomethingDoNotHang) {
  FakeProgram p(suspicious_early());
  auto look = [](FakeProgram& q) { q.read(kX, 1); };
  auto change = [](FakeProgram& q) {
    q.write(kX, 2);
    q.execution().progress.made();
  };
  EXPECT_EQ(two_loops(p, kForLong, look, change), "");
}

TEST(Execution, ASignalTakesThePlaceOfAWaitAndInterruptsIt) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  bool never = false;
  bool interrupted = false;
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    Thread& t = q.create([&](FakeProgram& r) {
      r.wait(never, 1);
      interrupted = r.interrupted;
    });
    while (t.pending == nullptr || t.pending->op != OpKind::kWait) {
      q.write(kX, 2);
    }
    Operation taking;
    taking.op = OpKind::kWake;
    q.execution().interrupt(t, taking);
  }),
            "");
  EXPECT_TRUE(interrupted);
  EXPECT_EQ(p.signals_taken, 1);
}

TEST(Execution, EventsFromOutsideAreWaitedForAndNoted) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  bool set = false;
  p.on_moment = [&] { set = true; };
  EXPECT_EQ(p.run([&](FakeProgram& q) { q.wait(set, 1); }), "");
  EXPECT_EQ(p.moments, 1);
  EXPECT_NE(p.flags() & kTouchedOutside, 0u);
}

TEST(Execution, ANotedSignalIsSentAtTheNextDecision) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  EXPECT_EQ(p.run([&](FakeProgram& q) {
    q.execution().note_signal();
    EXPECT_FALSE(q.external_signal);
    q.write(kX, 1);
    EXPECT_TRUE(q.external_signal);
  }),
            "");
}

TEST(Execution, EveryChoiceIsToldForTraces) {
  FakeProgram p(with(SchedulerKind::kRandom, 1));
  p.run(two_writers);
  EXPECT_EQ(static_cast<std::uint64_t>(p.choices),
            p.execution().points + 2);  // the two thread ends
}

}  // namespace
}  // namespace rff
