// Runs in place are the runs that children of the fork server make, nothing of one is left in the
// next, and every request gets one answer, whenever a worker dies.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdio>
#include <map>
#include <set>

#include "libsched/snapshot/kernel_state.h"
#include "tests/support/same_runs.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string program(const std::string& name) { return RFF_PROGRAMS "/" + name + ".patched"; }

// A server that makes runs in a certain way.
Server served(const char* way, const std::vector<std::string>& command) {
  setenv(kSnapshotVariable, way, 1);
  return Server(command, false);
}

class InPlace : public testing::TestWithParam<const char*> {
 protected:
  // Whether the kernel can do it.
  static bool possible(const char* way) {
    Server server = served(way, {program("program_pass_mutex_counter")});
    server.run(server.schedule(SchedulerKind::kPos, 1));
    return server.shared().snapshot.view() == way;
  }
  void SetUp() override {
    static std::map<std::string, bool> known;
    std::string way = GetParam();
    if (!known.contains(way)) {
      known[way] = possible(GetParam());
    }
    if (!known[way]) {
      GTEST_SKIP() << "this kernel has no way for runs in place: " << way;
    }
  }

  // Makes the same runs in both ways and compares them. Returns what the server in place has seen.
  static void same_runs(const std::vector<std::string>& command, std::uint64_t seeds,
                        std::uint64_t* in_place, std::uint64_t* retired) {
    Server forks = served("off", command);
    Server place = served(GetParam(), command);
    for (std::uint64_t i = 0; i < 2 * seeds; ++i) {
      std::uint64_t seed = i < seeds ? i + 1 : 2 * seeds - i;  // and back
      auto kind = seed % 2 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
      std::string expected = facts_of(forks.run(forks.schedule(kind, seed)));
      ASSERT_EQ(facts_of(place.run(place.schedule(kind, seed))), expected)
          << command.back() << ", seed " << seed;
      forks.learn();
      place.learn();
    }
    EXPECT_EQ(forks.shared().in_place, 0u);
    EXPECT_EQ(place.shared().forks, 2 * seeds);
    EXPECT_EQ(place.shared().in_place + place.shared().retired, 2 * seeds);
    *in_place = place.shared().in_place;
    *retired = place.shared().retired;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, InPlace, testing::Values("uffd", "copy"));

TEST_P(InPlace, RunsAreThoseOfChildren) {
  for (const char* name :
       {"program_pass_mutex_counter", "subject_reorder_3", "subject_bounded_buffer_right"}) {
    std::uint64_t in_place = 0, retired = 0;
    same_runs({program(name)}, 20, &in_place, &retired);
    EXPECT_GT(in_place, 0u) << name;
  }
}

TEST_P(InPlace, SoAreThoseThatFail) {
  std::uint64_t in_place = 0, retired = 0;
  for (const char* name : {"subject_account", "program_fail_mutex_opposite_order"}) {
    same_runs({program(name)}, 20, &in_place, &retired);
    EXPECT_EQ(retired, 0u) << name;
  }
  same_runs({program("program_fail_threads_stack_overflow")}, 20, &in_place, &retired);
  EXPECT_GT(retired, 0u) << "after a fault nothing is certain";
}

TEST_P(InPlace, NothingIsLeftInMemory) {
  for (const char* how : {"", "wild"}) {
    std::uint64_t in_place = 0, retired = 0;
    same_runs({program("leaves_memory"), how}, 10, &in_place, &retired);
    EXPECT_EQ(*how == 0 ? retired : in_place, 20u) << how;
    Server server = served(GetParam(), {program("leaves_memory"), how});
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, 1));
    EXPECT_TRUE(r.ended()) << r.message();
  }
}

std::vector<std::string> rows_of_kernel_state() {
  std::vector<std::string> rows;
  FILE* list = popen(RFF_ORIGINALS "/leaves_kernel_state", "r");
  char row[64];
  while (std::fscanf(list, "%63s", row) == 1) {
    rows.emplace_back(row);
  }
  pclose(list);
  return rows;
}

TEST_P(InPlace, NothingIsLeftInTheKernel) {
  for (const std::string& row : rows_of_kernel_state()) {
    std::uint64_t in_place = 0, retired = 0;
    same_runs({program("leaves_kernel_state"), row}, 4, &in_place, &retired);
    Server server = served(GetParam(), {program("leaves_kernel_state"), row});
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
      EXPECT_TRUE(r.ended()) << row << ": " << r.message();
    }
  }
}

TEST_P(InPlace, MemoryThatARunHasUnmappedIsThereAgain) {
  std::uint64_t in_place = 0, retired = 0;
  same_runs({program("leaves_kernel_state"), "munmap-old"}, 8, &in_place, &retired);
  EXPECT_EQ(retired, 0u);
  same_runs({program("leaves_kernel_state"), "munmap-old-mmap"}, 8, &in_place, &retired);
  EXPECT_EQ(in_place, 0u) << "a new mapping may lie where the old one was";
}

TEST_P(InPlace, DescriptorsThatARunHasMadeAreClosed) {
  std::uint64_t in_place = 0, retired = 0;
  same_runs({program("leaves_kernel_state"), "descriptors-made"}, 8, &in_place, &retired);
  EXPECT_EQ(retired, 0u);
  for (const char* old : {"fcntl", "dup", "dup2", "dup3"}) {
    same_runs({program("leaves_kernel_state"), old}, 4, &in_place, &retired);
    EXPECT_EQ(in_place, 0u) << old << ": what was there before the run has changed";
  }
}

TEST(KernelState, EveryCallThatIsPutBackHasAProgramThatLooks) {
  const std::map<long, std::string> names = {{SYS_write, "write"},
                                             {SYS_writev, "writev"},
                                             {SYS_fstat, "fstat"},
                                             {SYS_newfstatat, "newfstatat"},
                                             {SYS_mmap, "mmap"},
                                             {SYS_munmap, "munmap"},
                                             {SYS_mprotect, "mprotect"},
                                             {SYS_brk, "brk"},
                                             {SYS_madvise, "madvise"},
                                             {SYS_futex, "futex"},
                                             {SYS_ioctl, "ioctl"},
                                             {SYS_prlimit64, "prlimit64"},
                                             {SYS_rt_sigprocmask, "rt_sigprocmask"},
                                             {SYS_rt_sigaction, "rt_sigaction"},
                                             {SYS_openat, "openat"},
                                             {SYS_getdents64, "descriptors-made"},
                                             {SYS_utimensat, "descriptors-made"},
                                             {SYS_read, "read"},
                                             {SYS_readv, "readv"},
                                             {SYS_lseek, "lseek"},
                                             {SYS_pipe2, "pipe2"},
                                             {SYS_socketpair, "socketpair"},
                                             {SYS_eventfd2, "eventfd2"},
                                             {SYS_epoll_create1, "epoll_create1"},
                                             {SYS_memfd_create, "memfd_create"},
                                             {SYS_dup, "dup"},
                                             {SYS_dup2, "dup2"},
                                             {SYS_dup3, "dup3"},
                                             {SYS_fcntl, "fcntl"},
                                             {SYS_close, "close"},
                                             {SYS_pread64, "descriptors-made"},
                                             {SYS_pwrite64, "descriptors-made"},
                                             {SYS_recvfrom, "descriptors-made"},
                                             {SYS_sendto, "descriptors-made"},
                                             {SYS_recvmsg, "descriptors-made"},
                                             {SYS_sendmsg, "descriptors-made"},
                                             {SYS_ftruncate, "descriptors-made"},
                                             {SYS_shutdown, "descriptors-made"},
                                             {SYS_getsockopt, "descriptors-made"},
                                             {SYS_epoll_ctl, "descriptors-made"},
                                             {SYS_epoll_wait, "descriptors-made"},
                                             {SYS_epoll_pwait, "descriptors-made"},
                                             {SYS_pipe, "descriptors-made"},
                                             {SYS_poll, "descriptors-made"},
                                             {SYS_ppoll, "descriptors-made"}};
  std::vector<std::string> rows = rows_of_kernel_state();
  std::set<std::string> known(rows.begin(), rows.end());
  for (long number = 0; number < 600; ++number) {
    if (after_run(number) == AfterRun::kPutBack) {
      ASSERT_TRUE(names.contains(number)) << number;
      EXPECT_TRUE(known.contains(names.at(number))) << names.at(number);
    }
  }
}

// The process of the last answer is killed before, while and after it makes the next run.
TEST_P(InPlace, EveryRequestGetsOneAnswerWhateverDies) {
  Server server = served(GetParam(), {program("program_pass_mutex_counter")});
  std::uint64_t killed = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    Schedule s = server.schedule(SchedulerKind::kPos, i);
    if (i % 3 == 0) {
      kill(server.last_process(), SIGKILL);  // the worker waits
    }
    // Each time a little later: through all phases of a run.
    int status = server.run_and_kill(s, i % 2 == 0 ? static_cast<long>(i) * 20'000 : -1);
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGKILL);
      ++killed;
    } else {
      EXPECT_EQ(status, 0);
    }
    EXPECT_FALSE(server.has_answer()) << "a second one";
  }
  EXPECT_GT(killed, 0u);
  RunResult r = server.run(server.schedule(SchedulerKind::kPos, 1));
  EXPECT_TRUE(r.ended()) << r.message();
}

TEST_P(InPlace, AnEqualTestCaseIsAnsweredFromTheCache) {
  Server server = served(GetParam(), {program("program_pass_mutex_counter")});
  Schedule one = server.schedule(SchedulerKind::kPos, 1);
  server.run(one);  // learns stacks and scheduling points: another worker follows
  RunResult r = server.run(one);
  std::uint64_t hash = r.run().trace_hash;
  std::uint64_t in_place = server.shared().in_place;
  server.shared().cache_disabled = 0;
  server.run(one);
  EXPECT_EQ(server.shared().cache_hits, 1u);
  EXPECT_EQ(server.run(one).run().trace_hash, hash);
  EXPECT_EQ(server.shared().in_place, in_place);
  server.run(server.schedule(SchedulerKind::kPos, 2));
  EXPECT_EQ(server.run(one).run().trace_hash, hash);
  EXPECT_EQ(server.shared().in_place, in_place + 2);
}

TEST_P(InPlace, TheFuzzerCanForbidIt) {
  Server server = served(GetParam(), {program("program_pass_mutex_counter")});
  server.run(server.schedule(SchedulerKind::kPos, 1));
  EXPECT_EQ(server.shared().in_place, 1u);
  server.shared().in_place_disabled = 1;
  for (std::uint64_t seed = 2; seed <= 5; ++seed) {
    EXPECT_TRUE(server.run(server.schedule(SchedulerKind::kPos, seed)).ended());
  }
  EXPECT_LE(server.shared().in_place, 2u);
}

// From here on the calling process and its children get an error for a system call (if `first` is
// not negative: only with this first argument).
void forbid(std::uint32_t number, std::int32_t first = -1) {
  auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  sock_filter filter[] = {
      load(offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      load(offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(first), 0,
               static_cast<std::uint8_t>(first < 0 ? 0 : 1)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// Makes some runs, more than a campaign forks at first. Prints how they were made.
void tell_how() {
  Server server = served("auto", {program("program_pass_mutex_counter")});
  for (std::uint64_t seed = 1; seed <= 70; ++seed) {
    if (!server.run(server.schedule(SchedulerKind::kPos, seed)).ended()) {
      std::fputs("a run failed", stderr);
    }
  }
  std::fprintf(stderr, "%s, %s", std::string(server.shared().snapshot.view()).c_str(),
               server.shared().in_place > 0 ? "some in place" : "none in place");
}

TEST(Fallback, WithoutUserfaultfdPagesAreCopied) {
  EXPECT_EXIT(
      {
        forbid(SYS_userfaultfd);
        tell_how();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^copy, some in place$");
}

TEST(Fallback, WithoutDispatchRunsAreForked) {
  EXPECT_EXIT(
      {
        constexpr std::int32_t kSetDispatch = 59;
        forbid(SYS_prctl, kSetDispatch);
        tell_how();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "Syscall User Dispatch.*, none in place$");
}

}  // namespace
}  // namespace rff::test
