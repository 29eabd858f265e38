// Unit tests of AFL++'s fork-server protocol, as the fuzzer sees it.
#include "libsched/process/fork_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "libsched/process/fork_server_for_tests.h"

namespace rff {
namespace {

TEST_F(ForkServerTest, TheHelloOffersTheMapSizeAndSharedTestCases) {
  serve([](std::string_view) { return 0; });
  EXPECT_EQ(hello_ & 0x80000001u, 0x80000001u);          // FS_OPT_ENABLED
  EXPECT_EQ(hello_ & 0x40000000u, 0x40000000u);          // FS_OPT_MAPSIZE
  EXPECT_EQ(hello_ & 0x01000000u, 0x01000000u);          // FS_OPT_SHDMEM_FUZZ
  EXPECT_EQ(((hello_ & 0x00fffffeu) >> 1) + 1, 65536u);  // FS_OPT_GET_MAPSIZE
  EXPECT_EQ(hello_ & 0x3e000000u, 0u);                   // nothing else is offered
}

TEST_F(ForkServerTest, WithoutAFuzzerThereIsNoConnection) {
  unsetenv("__AFL_SHM_ID");
  EXPECT_FALSE(ForkServer().connect(shared_));
}

TEST_F(ForkServerTest, AServerWhoseFuzzerIsGoneEndsQuietly) {
  serve([](std::string_view) { return 0; });
  EXPECT_EQ(hang_up(), 0);
}

TEST_F(ForkServerTest, EachRunIsAChildThatGetsTheTestCaseAndGivesItsStatus) {
  std::string longer(600, 'q');  // stored differently than a short one
  serve([&](std::string_view bytes) {
    end_run();
    return bytes == "abc" ? 7 : bytes == longer ? 8 : 9;
  });
  EXPECT_EQ(WEXITSTATUS(run("abc")), 7);
  EXPECT_EQ(WEXITSTATUS(shared_->run.wait_status), 7);
  pid_t first = last_;
  EXPECT_NE(first, server_);
  EXPECT_EQ(WEXITSTATUS(run(longer)), 8);
  EXPECT_NE(last_, first);
  EXPECT_EQ(WEXITSTATUS(run("abd")), 9);
  EXPECT_EQ(shared_->forks, 3u);
  EXPECT_EQ(shared_->run.sequence, 3u);
  EXPECT_EQ(seen_->preparations, 3);
}

TEST_F(ForkServerTest, ARunDoesNotHaveTheServersDescriptorsAndLeadsAGroup) {
  serve([&](std::string_view) {
    bool open = fcntl(kControl, F_GETFD) != -1 || fcntl(kStatus, F_GETFD) != -1;
    return open ? 1 : getpgrp() != getpid() ? 2 : 0;
  });
  EXPECT_EQ(run("a"), 0);
}

TEST_F(ForkServerTest, AnEqualTestCaseIsAnsweredWithoutARun) {
  serve([&](std::string_view) {
    end_run();
    return 5;
  });
  int status = run("same");
  EXPECT_EQ(shared_->run.flags & kFromCache, 0u);
  EXPECT_EQ(run("same"), status);
  EXPECT_EQ(last_, server_);
  EXPECT_EQ(seen_->runs, 1);
  EXPECT_EQ(seen_->preparations, 1);
  EXPECT_EQ(shared_->forks, 1u);
  EXPECT_EQ(shared_->cache_hits, 1u);
  EXPECT_NE(shared_->run.flags & kFromCache, 0u);
  EXPECT_EQ(shared_->run.state.load(), RunState::kEnded);
  run("other");
  run("same");  // only the last one is kept
  EXPECT_EQ(seen_->runs, 3);
}

TEST_F(ForkServerTest, WithTheCacheDisabledEveryTestCaseRuns) {
  serve([&](std::string_view) {
    end_run();
    return 0;
  });
  shared_->cache_disabled.store(1);
  run("same");
  run("same");
  EXPECT_EQ(seen_->runs, 2);
  EXPECT_EQ(shared_->cache_hits, 0u);
}

TEST_F(ForkServerTest, TheMapIsFilledFromThePlacesOfTheRunAndAgainFromTheCache) {
  serve([&](std::string_view) {
    for (std::uint16_t place : {std::uint16_t{3}, std::uint16_t{65535}}) {
      shared_->run.map_places.append(place);
    }
    end_run();
    return 0;
  });
  for (int time = 0; time < 2; ++time) {
    std::fill(afl_map_, afl_map_ + kLargeMap, std::uint8_t{0});
    run("a");
    EXPECT_EQ(afl_map_[3], 1);
    EXPECT_EQ(afl_map_[65535], 1);
    EXPECT_EQ(std::count(afl_map_, afl_map_ + kLargeMap, 1), 2);
  }
  EXPECT_EQ(seen_->runs, 1);
}

TEST_F(ForkServerTest, EdgesFillTheUpperHalfOfTheMapInSteps) {
  serve([&](std::string_view) {
    shared_->run.has_branches = 1;
    for (std::uint32_t i = 0; i < kMapHalf; ++i) {
      shared_->run.edges[i] = static_cast<std::uint8_t>(i);
    }
    end_run();
    return 0;
  });
  run("a");
  EXPECT_EQ(std::count(afl_map_, afl_map_ + kMapHalf, 0), kMapHalf) << "the other half is touched";
  const std::uint8_t* upper = afl_map_ + kMapHalf;
  for (auto [count, step] : {std::pair{0, 0},
                             {1, 1},
                             {2, 2},
                             {3, 3},
                             {4, 4},
                             {7, 4},
                             {8, 8},
                             {15, 8},
                             {16, 16},
                             {32, 32},
                             {127, 32},
                             {128, 128},
                             {255, 128}}) {
    EXPECT_EQ(upper[count], step) << count;
    EXPECT_EQ(upper[kMapHalf - 256 + static_cast<std::uint32_t>(count)], step) << count;
  }
}

TEST_F(ForkServerTest, EdgesOfOneRunAreNotThoseOfTheNext) {
  serve([&](std::string_view test_case) {
    if (test_case == "a") {
      shared_->run.has_branches = 1;
      shared_->run.edges[5] = 1;
      shared_->run.compared_values.append({});
    }
    end_run();
    return 0;
  });
  run("a");
  EXPECT_EQ(afl_map_[kMapHalf + 5], 1);
  std::fill(afl_map_, afl_map_ + kLargeMap, std::uint8_t{0});
  run("b");
  EXPECT_EQ(afl_map_[kMapHalf + 5], 0);
  EXPECT_EQ(shared_->run.edges[5], 0);
  EXPECT_EQ(shared_->run.compared_values.size(), 0u);
}

TEST_F(ForkServerTest, ARunWhosePlacesDidNotFitIsNotKept) {
  serve([&](std::string_view) {
    while (shared_->run.map_places.append(1)) {
    }
    end_run();
    return 0;
  });
  run("a");
  run("a");
  EXPECT_EQ(seen_->runs, 2);
}

TEST_F(ForkServerTest, ARunThatTheFuzzerKillsIsUnresponsiveAndNotKept) {
  serve([](std::string_view) { return pause(); });
  for (int time = 1; time <= 2; ++time) {
    pid_t child = begin("slow");
    kill(child, SIGKILL);
    int status = static_cast<int>(receive());
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    EXPECT_EQ(shared_->run.outcome.load(), RunOutcome::kUnresponsive);
    EXPECT_EQ(shared_->forks, static_cast<std::uint64_t>(time));
  }
}

TEST_F(ForkServerTest, ARunThatDiesWithoutARecordIsUnknownAndNotKept) {
  serve([](std::string_view) { return raise(SIGTERM); });
  int status = run("a");
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(shared_->run.outcome.load(), RunOutcome::kUnknown);
  EXPECT_EQ(shared_->run.wait_status, status);
  run("a");
  EXPECT_EQ(seen_->runs, 2);
}

TEST_F(ForkServerTest, AFindingIsKeptWithItsSignal) {
  serve([&](std::string_view) {
    end_run();
    return raise(SIGTERM);
  });
  int status = run("a");
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(run("a"), status);
  EXPECT_EQ(seen_->runs, 1);
}

TEST_F(ForkServerTest, AnEmptyTestCaseIsABareFork) {
  serve([](std::string_view) { return 1; });
  EXPECT_EQ(run(""), 0);
  EXPECT_EQ(seen_->runs, 0);
  EXPECT_EQ(shared_->forks, 1u);
}

TEST_F(ForkServerTest, ProcessesOfARunEndWithIt) {
  int alive[2];
  ASSERT_EQ(pipe(alive), 0);
  serve([&](std::string_view) {
    if (fork() == 0) {
      alarm(60);  // in case nothing else ends it
      pause();
      _exit(0);
    }
    return 0;
  });
  run("a");
  hang_up();
  close(alive[1]);
  pollfd other_end = {alive[0], POLLIN, 0};
  EXPECT_EQ(poll(&other_end, 1, 10'000), 1);
  EXPECT_EQ(other_end.revents, POLLHUP);  // the last process that held the other end is gone
  close(alive[0]);
}

TEST_F(ForkServerTest, EveryRunFindsOpenFilesAtTheOffsetOfTheFirst) {
  char path[] = "/tmp/rff-offset-XXXXXX";
  int file = mkstemp(path);
  unlink(path);
  ASSERT_EQ(::write(file, "0123456789", 10), 10);
  lseek(file, 4, SEEK_SET);
  serve([&](std::string_view) {
    char read[3];
    return ::read(file, read, 3) == 3 ? read[0] : 0;
  });
  EXPECT_EQ(WEXITSTATUS(run("a")), '4');
  EXPECT_EQ(WEXITSTATUS(run("b")), '4');
  close(file);
}

}  // namespace
}  // namespace rff
