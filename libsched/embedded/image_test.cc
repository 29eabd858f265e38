// The memory of this test is what is saved and put back: nothing of GoogleTest runs in between.
#include "libsched/embedded/image.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "libsched/support/arena.h"

namespace rff {

// A double: memory that the runtime allocated before the first run.
char* const allocated = static_cast<char*>(
    mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
std::size_t allocated_bytes = 8000;
std::array<MemorySpan, 4> memory_before_runs() {
  return {MemorySpan{allocated + 100, allocated_bytes}, {}, {}, {}};
}

namespace {

volatile int variable = 1;            // of a file
volatile char pages[16 * 4096] = {};  // zero until written
alignas(4096) volatile char pages_of_child[2 * 4096] = {};

struct Seen {
  bool follows = false;
  bool all_back = true;
  bool differed = true;
};

void change(int round) {
  variable = variable + round;
  pages[(round % 16) * 4096 + 7] = 1;
  allocated[100 + round * 70] = 1;
}

void make_runs(const RuntimeImage& image, Seen& seen, volatile char* own = pages) {
  for (int round = 1; round <= 80; ++round) {  // the kernel is told to forget writes after 64
    change(round);
    *own = 1;
    seen.differed = seen.differed && image.first_difference() != 0;
    image.restore();
    seen.all_back = seen.all_back && image.first_difference() == 0 && variable == 1;
    seen.follows = image.follows_writes();
  }
}

Seen seen_with(const char* way) {
  setenv("RFF_SNAPSHOT", way, 1);
  Seen seen;
  RuntimeImage image;
  image.save();
  make_runs(image, seen);
  image.stop_following();
  unsetenv("RFF_SNAPSHOT");
  return seen;
}

TEST(Image, IsPutBackAfterEveryRunInBothWays) {
  Seen copied = seen_with("copy");
  EXPECT_TRUE(copied.differed);
  EXPECT_TRUE(copied.all_back);
  EXPECT_FALSE(copied.follows);
  Seen followed = seen_with("uffd");
  EXPECT_TRUE(followed.differed);
  EXPECT_TRUE(followed.all_back);
}

TEST(Image, IsPutBackInAChildToo) {
  RuntimeImage image;
  Seen here;
  image.save();
  make_runs(image, here);
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    Seen seen;
    make_runs(image, seen, pages_of_child + 4096);  // where its parent has never written
    _exit(seen.all_back && seen.differed && seen.follows == here.follows ? 0 : 1);
  }
  waitpid(child, &status, 0);
  image.stop_following();
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(here.all_back);
}

TEST(Image, IsSavedAgainWhereTheMemoryHasChanged) {
  RuntimeImage image;
  Seen before, after;
  image.save();
  make_runs(image, before);
  variable = 1;
  pages[5] = 9;
  allocated_bytes = 12000;
  image.save();
  make_runs(image, after, allocated + 12000);
  image.stop_following();
  char kept = pages[5];
  pages[5] = 0;
  EXPECT_EQ(kept, 9);
  EXPECT_TRUE(before.all_back);
  EXPECT_TRUE(after.all_back);
}

}  // namespace
}  // namespace rff
