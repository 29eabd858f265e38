#include "schedule/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rff {
namespace {

class SharedMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = static_cast<SharedMemory*>(memory);
    shared_->initialize();
  }
  void TearDown() override { munmap(shared_, sizeof(SharedMemory)); }
  SharedMemory* shared_ = nullptr;
};

TEST_F(SharedMemoryTest, FreshMemoryIsValidOnlyOnceInitialised) {
  EXPECT_TRUE(shared_->valid());
  shared_->version++;
  EXPECT_FALSE(shared_->valid());
}

TEST_F(SharedMemoryTest, ListsCountWhatDoesNotFitAndNeverOverrun) {
  auto& list = shared_->unmodelled_calls;
  SharedText<64> name;
  name.set("epoll_wait");
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(list.append(name), i < 256);
  }
  EXPECT_EQ(list.size(), 256u);
  EXPECT_EQ(list.overflowed, 44u);
  list.count = 0xffffffff;  // a corrupt writer
  EXPECT_EQ(list.size(), 256u);
}

TEST_F(SharedMemoryTest, DownwardListsReadInTheOrderOfWriting) {
  auto& list = shared_->run.map_places;
  EXPECT_EQ(list.begin(), list.end());
  std::uint32_t capacity = list.capacity();
  for (std::uint32_t i = 0; i < capacity + 3; ++i) {
    EXPECT_EQ(list.append(static_cast<std::uint16_t>(i)), i < capacity);
  }
  EXPECT_EQ(list.size(), capacity);
  EXPECT_EQ(list.overflowed, 3u);
  std::uint32_t expected = 0;
  for (std::uint16_t place : list) {
    ASSERT_EQ(place, expected++);
  }
  EXPECT_EQ(expected, capacity);
}

// A short run must write to three pages only.
TEST_F(SharedMemoryTest, TheBeginningsOfAllListsAreOnThreePages) {
  RunRecord& run = shared_->run;
  auto page = [](const void* p) { return reinterpret_cast<std::uint64_t>(p) / kPageBytes; };
  EXPECT_EQ(page(&*run.map_places.begin()), page(&run.state));
  EXPECT_EQ(page(&*run.map_places.begin()), page(run.event_list.begin()));
  EXPECT_EQ(page(&*run.decisions.begin()), page(run.steps.begin()));
}

// The writer is killed at an arbitrary point. Every counted record must be complete.
TEST_F(SharedMemoryTest, AWriterThatDiesLeavesOnlyWholeRecords) {
  for (int round = 0; round < 20; ++round) {
    shared_->run.pairs.clear();
    shared_->run.events = 0;
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (std::uint32_t i = 1;; ++i) {
        shared_->run.pairs.append({i, ~i});
        shared_->run.events = i;
      }
    }
    while (shared_->run.pairs.size() < 100u * static_cast<unsigned>(round + 1)) {
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (const ReadsFromPair& p : shared_->run.pairs) {
      ASSERT_EQ(p.write, ~p.read);
      ASSERT_NE(p.write, 0u);
    }
  }
}

TEST(SharedText, LongTextIsCutAndTerminated) {
  SharedText<8> t;
  t.set("0123456789");
  EXPECT_EQ(t.view(), "0123456");
}

}  // namespace
}  // namespace rff
