// Unit tests of what decides about runs in place, without a run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "libsched/snapshot/kernel_state.h"
#include "libsched/snapshot/policy.h"
#include "libsched/snapshot/turn.h"

namespace rff {
namespace {

// Returns how many runs come before the next one in place.
int forks_before_worker(InPlacePolicy& policy) {
  for (int forks = 0; forks < 1 << 20; ++forks) {
    if (policy.next_in_place()) {
      return forks;
    }
  }
  return -1;
}

TEST(InPlacePolicy, TheFirstRunsAreForked) {
  InPlacePolicy policy;
  EXPECT_EQ(forks_before_worker(policy), 60);
  EXPECT_EQ(forks_before_worker(policy), 0);
}

TEST(InPlacePolicy, AWayThatWasAskedForIsUsedAtOnce) {
  InPlacePolicy policy;
  EXPECT_TRUE(policy.set("copy"));
  EXPECT_EQ(policy.tracking(), Tracking::kCopy);
  EXPECT_EQ(forks_before_worker(policy), 0);
  EXPECT_TRUE(policy.set("uffd"));
  EXPECT_EQ(policy.tracking(), Tracking::kWrites);
  EXPECT_TRUE(policy.set("off"));
  EXPECT_EQ(forks_before_worker(policy), -1);
  EXPECT_FALSE(policy.set("sometimes"));
}

TEST(InPlacePolicy, ManyRetirementsMeanForksForAWhileAndThenForLonger) {
  InPlacePolicy policy;
  forks_before_worker(policy);
  int first = 0;
  for (int i = 0; i < 8; ++i) {
    policy.worker_ended(2, true);
  }
  first = forks_before_worker(policy);
  EXPECT_GT(first, 1000);
  for (int i = 0; i < 8; ++i) {
    policy.worker_ended(0, true);
  }
  EXPECT_EQ(forks_before_worker(policy), 2 * first);
}

TEST(InPlacePolicy, FewRetirementsDoNot) {
  InPlacePolicy policy;
  forks_before_worker(policy);
  for (int i = 0; i < 1000; ++i) {
    policy.worker_ended(4, true);
    EXPECT_EQ(forks_before_worker(policy), 0);
  }
}

TEST(InPlacePolicy, ARefusalMeansTheOtherWayAndThenNone) {
  InPlacePolicy policy;
  forks_before_worker(policy);
  policy.refused();
  EXPECT_EQ(policy.tracking(), Tracking::kCopy);
  EXPECT_EQ(forks_before_worker(policy), 0);
  policy.refused();
  EXPECT_EQ(forks_before_worker(policy), -1);
}

TEST(Turn, AnAnswerIsOwedFromTheRequestToTheStatus) {
  Turn turn = {};
  turn.expect_request();
  EXPECT_FALSE(turn.owed());
  turn.request = 0;
  EXPECT_TRUE(turn.owed());
  turn.sent = 4;
  EXPECT_TRUE(turn.owed());
  turn.sent = 8;
  EXPECT_FALSE(turn.owed());
}

class KernelStateTest : public testing::Test {
 protected:
  KernelStateTest() { state_->remember(); }
  bool make(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    return state_->make({number, {a, b, c, d, e, f}}, &mask_, &result_);
  }
  static bool mapped(long address) {
    return msync(reinterpret_cast<void*>(address), 1, MS_ASYNC) == 0;
  }

  std::unique_ptr<SavedPages> nothing_ = std::make_unique<SavedPages>();
  std::unique_ptr<KernelState> state_ = std::make_unique<KernelState>(*nothing_);
  std::uint64_t mask_ = 0;
  long result_ = -1;
};

TEST_F(KernelStateTest, MostCallsRetire) {
  int classes[3] = {};
  for (long number = 0; number < 1000; ++number) {
    ++classes[static_cast<int>(after_run(number))];
  }
  EXPECT_GT(classes[0], 10);
  EXPECT_GT(classes[2], 900);
  for (long number :
       {SYS_clone, SYS_execve, SYS_openat2, SYS_kill, SYS_exit_group, SYS_prctl, SYS_mremap}) {
    EXPECT_FALSE(make(number)) << number;
  }
  struct sigaction action;
  EXPECT_FALSE(make(SYS_rt_sigaction, SIGUSR1, reinterpret_cast<long>(&action), 0, 8));
  EXPECT_FALSE(make(SYS_rt_sigaction, SIGSYS, 0, reinterpret_cast<long>(&action), 8))
      << "the witness's";
  EXPECT_TRUE(make(SYS_rt_sigaction, SIGUSR1, 0, reinterpret_cast<long>(&action), 8));
}

TEST_F(KernelStateTest, MappingsOfTheRunGoAndOlderOnesStay) {
  constexpr long kBytes = 8 * 4096;
  ASSERT_TRUE(make(SYS_mmap, 0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  long first = result_;
  ASSERT_TRUE(mapped(first));
  ASSERT_TRUE(make(SYS_munmap, first + 4096, 4096));
  EXPECT_FALSE(mapped(first + 4096));
  EXPECT_FALSE(make(SYS_munmap, first, kBytes)) << "not all of it is the run's any more";
  EXPECT_TRUE(make(SYS_mprotect, first, 4096, PROT_READ));
  long older =
      reinterpret_cast<long>(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  EXPECT_FALSE(make(SYS_munmap, older, 4096));
  EXPECT_FALSE(make(SYS_mprotect, older, 4096, PROT_READ));
  EXPECT_FALSE(make(SYS_madvise, older, 4096, MADV_DONTNEED));
  EXPECT_FALSE(make(SYS_mmap, 0, kBytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1));
  EXPECT_FALSE(make(SYS_mmap, older, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1));
  state_->put_back();
  EXPECT_FALSE(mapped(first));
  EXPECT_FALSE(mapped(first + 2 * 4096));
  EXPECT_TRUE(mapped(older));
}

TEST_F(KernelStateTest, TheBreakComesBack) {
  auto before = reinterpret_cast<long>(sbrk(0));
  EXPECT_FALSE(make(SYS_brk, before - 4096));
  ASSERT_TRUE(make(SYS_brk, before + 4096));
  EXPECT_EQ(result_, before + 4096);
  state_->put_back();
  EXPECT_EQ(syscall(SYS_brk, 0), before);
}

TEST_F(KernelStateTest, TheMaskNeverHasTheSignalOfTheWitness) {
  sigset_t all;
  sigfillset(&all);
  ASSERT_TRUE(make(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, 8));
  EXPECT_EQ(result_, 0);
  EXPECT_EQ(mask_ >> (SIGSYS - 1) & 1, 0u);
  EXPECT_EQ(mask_ >> (SIGUSR1 - 1) & 1, 1u);
  state_->put_mask_back();
}

TEST_F(KernelStateTest, OutputToNowhereLeavesNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(make(SYS_write, ends[1], reinterpret_cast<long>("x"), 1));
  EXPECT_FALSE(make(SYS_prlimit64, 0, 4, reinterpret_cast<long>(&result_), 0));
  EXPECT_FALSE(make(SYS_fstat, ends[0], reinterpret_cast<long>(&result_)));
}

class MadeDescriptorsTest : public KernelStateTest {
 protected:
  bool write_to(int fd) { return make(SYS_write, fd, reinterpret_cast<long>("x"), 1); }
  static bool open(int fd) { return fcntl(fd, F_GETFD) >= 0; }
  static bool is_pipe(int fd) { return fcntl(fd, F_GETPIPE_SZ) > 0; }
  static int open_nothing() { return ::open("/dev/null", O_RDONLY); }
  int ends_[2] = {-1, -1};
  long at_ends_ = reinterpret_cast<long>(ends_);
};

TEST_F(MadeDescriptorsTest, AreUsedAndClosed) {
  ASSERT_TRUE(make(SYS_pipe2, at_ends_, 0));
  EXPECT_TRUE(write_to(ends_[1]));
  ASSERT_TRUE(make(SYS_dup, ends_[0]));
  int copy = static_cast<int>(result_);
  EXPECT_TRUE(make(SYS_close, ends_[0]));
  EXPECT_FALSE(open(ends_[0]));
  char byte;
  EXPECT_TRUE(make(SYS_read, copy, reinterpret_cast<long>(&byte), 1));
  EXPECT_EQ(result_, 1);
  state_->put_back();
  EXPECT_FALSE(open(copy));
  EXPECT_FALSE(open(ends_[1]));
  EXPECT_FALSE(write_to(ends_[1])) << "the next run has not made it";
}

TEST_F(MadeDescriptorsTest, GiveWayToOlderOnesAfterTheRun) {
  int older = open_nothing(), closed = open_nothing();
  fcntl(closed, F_SETFD, FD_CLOEXEC);
  ASSERT_TRUE(make(SYS_pipe2, at_ends_, 0));
  EXPECT_TRUE(make(SYS_dup2, ends_[0], older));
  EXPECT_TRUE(is_pipe(older));
  EXPECT_TRUE(make(SYS_close, closed));
  EXPECT_FALSE(open(closed));
  EXPECT_TRUE(make(SYS_dup2, ends_[0], closed));
  state_->put_back();
  EXPECT_FALSE(is_pipe(older));
  EXPECT_FALSE(is_pipe(closed));
  EXPECT_EQ(fcntl(closed, F_GETFD), FD_CLOEXEC);
  close(older);
  close(closed);
}

TEST_F(MadeDescriptorsTest, WereMadeByTheRunAlone) {
  int older = open_nothing();
  ASSERT_TRUE(make(SYS_pipe2, at_ends_, 0));
  EXPECT_FALSE(make(SYS_dup, older));
  EXPECT_FALSE(make(SYS_dup2, older, ends_[0]));
  EXPECT_TRUE(make(SYS_dup2, ends_[0], ends_[1]));
  EXPECT_FALSE(make(SYS_dup2, ends_[0], 900)) << "the worker's";
  EXPECT_FALSE(make(SYS_close, 900));
  state_->put_back();
  EXPECT_TRUE(open(older));
  close(older);
}

TEST_F(MadeDescriptorsTest, AreForFilesOnlyIfTheseAreRead) {
  auto opens = [&](const char* path, int flags) {
    return make(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags, 0600);
  };
  ASSERT_TRUE(opens("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  auto fd = static_cast<int>(result_);
  char first = 0;
  ASSERT_TRUE(make(SYS_read, fd, reinterpret_cast<long>(&first), 1));
  EXPECT_EQ(first, 0x7f);
  EXPECT_TRUE(opens("/", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(opens("/there/is/none", O_RDONLY));
  EXPECT_EQ(result_, -ENOENT);
  EXPECT_FALSE(opens("/dev/null", O_RDONLY)) << "devices may do anything";
  EXPECT_FALSE(opens("/proc/self/comm", O_RDWR));
  EXPECT_FALSE(opens("/there/is/none", O_RDONLY | O_CREAT));
  EXPECT_FALSE(opens("/proc/self/comm", O_WRONLY | O_TRUNC));
  state_->put_back();
  EXPECT_FALSE(open(fd));
}

TEST_F(KernelStateTest, FilesAreReadFromWhereTheyWere) {
  int file = open("/proc/self/exe", O_RDONLY);
  lseek(file, 1, SEEK_SET);
  char bytes[3] = {};
  ASSERT_TRUE(make(SYS_read, file, reinterpret_cast<long>(bytes), 3));
  EXPECT_EQ(std::string_view(bytes, 3), "ELF");
  ASSERT_TRUE(make(SYS_lseek, file, 100, SEEK_CUR));
  EXPECT_EQ(result_, 104);
  state_->put_back();
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 1);
  close(file);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(make(SYS_read, ends[0], reinterpret_cast<long>(bytes), 1));
}

TEST_F(MadeDescriptorsTest, NeverWait) {
  char byte;
  ASSERT_TRUE(make(SYS_pipe2, at_ends_, 0));
  EXPECT_FALSE(make(SYS_read, ends_[0], reinterpret_cast<long>(&byte), 1));
  ASSERT_TRUE(make(SYS_fcntl, ends_[0], F_SETFL, O_NONBLOCK));
  EXPECT_TRUE(make(SYS_read, ends_[0], reinterpret_cast<long>(&byte), 1));
  EXPECT_EQ(result_, -EAGAIN);
  EXPECT_TRUE(make(SYS_poll, 0, 0, 0));
  EXPECT_FALSE(make(SYS_poll, 0, 0, 1));
  ASSERT_TRUE(make(SYS_epoll_create1, 0));
  EXPECT_FALSE(make(SYS_epoll_wait, result_, reinterpret_cast<long>(&byte), 1, -1));
  state_->put_back();
}

}  // namespace
}  // namespace rff
