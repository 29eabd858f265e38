// Unit tests of Sharing and SyncOrder: which accesses may race, and are therefore learned.
#include "libsched/memory/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

alignas(256) std::uint64_t memory[8];
std::uint64_t& x = memory[0];

class SharingTest : public testing::Test {
 protected:
  SharingTest() { std::fill(std::begin(memory), std::end(memory), 0); }

  void write(Site site = kWrite) { p.write(site, x, x + 1); }
  void read(Site site = kRead) { p.read(site, x); }
  std::vector<Site> learned() {
    std::vector<Site> sites;
    for (std::uint32_t site = 0; site < kSiteCount; ++site) {
      if (p.module().is_point[site] != PatchedModule::kNoPoint) {
        sites.push_back(static_cast<Site>(site));
      }
    }
    return sites;
  }
  // Runs the functions one after the other, each as far as it can go, in threads of their own.
  void run(std::vector<PatchedProgram::Body> bodies) {
    p.run([&] { p.together(std::move(bodies)); });
  }

  WatchedProgram p;
  FakeMutex m, n;
};

TEST_F(SharingTest, AccessesThatNothingKeepsApartRace) {
  run({[&] { write(); }, [&] { read(); }});
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, ReadsDoNotRace) {
  run({[&] { read(); }, [&] { read(kRead2); }});
  EXPECT_TRUE(learned().empty());
}

TEST_F(SharingTest, WordsOfATableThatThreadsReadShareAHistory) {
  constexpr std::size_t kWords = 2000, kThreads = 3;
  static std::uint64_t table[kWords];
  std::size_t histories = 0;
  auto read_all = [&] {
    for (int times = 0; times < 2; ++times) {
      for (std::uint64_t& word : table) {
        p.read(kRead, word);
      }
    }
    histories = std::max(histories, p.shadow.histories());
  };
  p.run([&] {
    for (std::uint64_t& word : table) {
      p.write(kWrite, word, std::uint64_t{1});
    }
    std::vector<PatchedProgram::Body> bodies(kThreads, read_all);
    bodies.push_back([&] { p.write(kWrite2, table[7], std::uint64_t{2}); });
    bodies.push_back([&] { p.read(kRead2, table[8]); });
    p.together(std::move(bodies));
  });
  EXPECT_LE(histories, 2 * kThreads);
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite2}));
}

TEST_F(SharingTest, CreatingAndJoiningAThreadOrders) {
  p.run([&] {
    write();
    p.together({[&] { write(kWrite2); }});
    read();
    p.together({[&] { read(kRead2); }});
  });
  EXPECT_TRUE(learned().empty());
}

TEST_F(SharingTest, WhatTheCreatorDoesAfterwardsIsNotOrdered) {
  p.run([&] {
    Thread& t = p.create([&] { read(); });
    write();
    p.join(t);
  });
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, ACommonLockKeepsApart) {
  auto guarded = [&](auto access) {
    p.lock(m, 1);
    access();
    p.unlock(m, 2);
  };
  run({[&] { guarded([&] { write(); }); }, [&] { guarded([&] { read(); }); }});
  EXPECT_TRUE(learned().empty());
}

TEST_F(SharingTest, DifferentLocksDoNotKeepApart) {
  run({[&] {
         p.lock(m, 1);
         write();
         p.unlock(m, 2);
       },
       [&] {
         p.lock(n, 3);
         read();
         p.unlock(n, 4);
       }});
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

// Two critical sections could come the other way round.
TEST_F(SharingTest, LocksDoNotOrder) {
  run({[&] {
         write();
         p.lock(m, 1);
         p.unlock(m, 2);
       },
       [&] {
         p.lock(m, 3);
         p.unlock(m, 4);
         read();
       }});
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, AnEarlierAccessWithoutTheLockIsRemembered) {
  run({[&] {
         write();
         p.lock(m, 1);
         write(kWrite2);
         p.unlock(m, 2);
       },
       [&] {
         p.lock(m, 3);
         read();
         p.unlock(m, 4);
       }});
  std::vector<Site> sites = learned();
  EXPECT_TRUE(std::find(sites.begin(), sites.end(), kRead) != sites.end());
}

TEST_F(SharingTest, ATokenOrdersWhoReleasesBeforeWhoAcquires) {
  int token = 0;
  run({[&] {
         write();
         p.order().release(p.current(), &token);
         write(kWrite2);
       },
       [&] {
         p.order().acquire(p.current(), &token);
         read();
       }});
  // Only the write after the release may race with the read.
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite2}));
}

TEST_F(SharingTest, ASemaphoreHandsOutItsInitialValueFirst) {
  int semaphore = 0;
  std::vector<bool> ordered;
  p.run([&] {
    // The value was 1, and one is posted.
    std::uint32_t era = 0;
    p.together({[&] {
                  era = p.current().memory->era;
                  p.order().posted(p.current(), &semaphore);
                },
                [&] {
                  for (std::uint32_t count : {2, 1}) {
                    p.order().waited(p.current(), &semaphore, count);
                    ordered.push_back(
                        p.order().before(p.order().era(era), p.current().memory->actor));
                  }
                }});
  });
  EXPECT_EQ(ordered, (std::vector<bool>{false, true}));
}

TEST_F(SharingTest, WhatAThreadDoesUnderManyLocksBecomesOneUse) {
  constexpr std::size_t kMany = 1000;
  std::vector<FakeMutex> locks(kMany);
  std::size_t uses = 0;
  run({[&] { read(); },
       [&] {
         for (FakeMutex& l : locks) {
           p.lock(l, 1);
           read();
           p.unlock(l, 2);
         }
         uses = p.shadow.history(p.shadow.cell(reinterpret_cast<std::uint64_t>(&x))).size();
       },
       [&] {
         p.lock(m, 3);
         write();
         p.unlock(m, 4);
       }});
  EXPECT_LT(uses, 200u);
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, AmongManyUsesAllThatRaceAreLearned) {
  constexpr int kReaders = 15;
  std::vector<PatchedProgram::Body> bodies(kReaders, [&] {
    p.lock(m, 1);
    read();
    p.unlock(m, 2);
  });
  bodies.push_back([&] {
    p.lock(m, 3);
    write();
    p.unlock(m, 4);
  });
  bodies.push_back([&] { read(kRead2); });    // races with the write
  bodies.push_back([&] { write(kWrite2); });  // and this one with all
  run(std::move(bodies));
  EXPECT_EQ(learned(), (std::vector{kRead, kRead2, kWrite, kWrite2}));
}

TEST_F(SharingTest, AHandlerOfAThreadThatWaitsAtABarrierComesAfterNothing) {
  int round = 0;
  bool handler_after = true, thread_after = false;
  p.run([&] {
    Thread& waits = p.create([] {});
    p.order().release(p.current(), &round);
    const std::uint32_t released = p.current().memory->unlocked_era - 1;
    std::uint32_t before = p.order().enter_handler(waits);
    p.order().acquire_waiting(waits, &round);
    auto is_after = [&] { return p.order().before(p.order().era(released), waits.memory->actor); };
    handler_after = is_after();
    p.order().leave_handler(waits, before);
    thread_after = is_after();
    p.join(waits);
  });
  EXPECT_FALSE(handler_after);
  EXPECT_TRUE(thread_after);
}

TEST_F(SharingTest, AHandlerRacesWithItsThreadAndHoldsNoLock) {
  run({[&] {
         p.lock(m, 1);
         write();
         std::uint32_t before = p.order().enter_handler(p.current());
         read();
         p.order().leave_handler(p.current(), before);
         p.unlock(m, 2);
       },
       [] {}});
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, WhatOneTurnOfALoopLeavesToAnotherIsSharedAndDoesNotRace) {
  std::size_t between = 0;
  run({[&] {
         write();
         read();
         for (int turn = 0; turn < 40; ++turn) {
           p.order().begin_turn(p.current());
           std::size_t before = p.events.pairs().size();
           read(turn == 0 ? kRead : kRead2);
           between += p.events.pairs().size() - before;
           write();
         }
       },
       [] {}});
  EXPECT_EQ(between, 2u);  // one for each place that reads
  EXPECT_TRUE(learned().empty());
}

TEST_F(SharingTest, ATurnOfALoopRacesWithOtherThreads) {
  run({[&] {
         p.order().begin_turn(p.current());
         read();
         p.order().begin_turn(p.current());
       },
       [&] { write(); }});
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

TEST_F(SharingTest, MemoryOfALockedInstructionIsAPointUnderLocksToo) {
  auto guarded = [&](auto access) {
    p.lock(m, 1);
    access();
    p.unlock(m, 2);
  };
  run({[&] { guarded([&] { p.add(kLockedUpdate, x, 1); }); }, [&] { guarded([&] { read(); }); }});
  EXPECT_EQ(learned(), (std::vector{kRead, kLockedUpdate}));
}

TEST_F(SharingTest, WithoutRacingPointsEverySharedWordIsOne) {
  p.accesses.start({.racing = false}, 0, {});
  p.run([&] {
    write();
    p.together({[&] { read(); }});
  });
  EXPECT_EQ(learned(), (std::vector{kRead, kWrite}));
}

}  // namespace
}  // namespace rff
