// Unit tests of BranchLog: which edges and comparisons a run reports.
#include "libsched/memory/branch_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/memory/patched_module_for_tests.h"

namespace rff {
namespace {

class BranchLogTest : public testing::Test {
 protected:
  BranchLogTest() { log_.start(record_.get(), *modules_); }

  void compare(Branch branch, std::uint64_t first, std::uint64_t second, unsigned thread = 0) {
    if (!log_.repeats(module().first_branch + branch, first, second)) {
      log_.compare(thread, module(), branch, first, second);
    }
  }
  const PatchedModule& module() const { return patched(*modules_); }
  const ComparedValues& value(std::uint32_t i) const { return record_->compared_values.items[i]; }
  std::uint32_t values() const { return record_->compared_values.size(); }
  static long count_edges(const RunRecord& record) {
    return kMapHalf - std::count(std::begin(record.edges), std::end(record.edges), 0);
  }

  std::unique_ptr<Modules> modules_ = modules_of_test(true);
  std::unique_ptr<RunRecord> record_ = std::make_unique<RunRecord>();
  BranchLog log_;
  ThreadMemory main_;
};

TEST_F(BranchLogTest, AComparisonHasItsPlaceWidthAndOperands) {
  compare(kComparison, 0xffffffff00000001, 0xffffffff00000002, 3);
  ASSERT_EQ(values(), 1u);
  EXPECT_EQ(value(0).first, 1u);
  EXPECT_EQ(value(0).second, 2u);
  EXPECT_EQ(value(0).width, 4);
  EXPECT_EQ(value(0).thread, 3);
  EXPECT_FALSE(value(0).constant);
  EXPECT_EQ(value(0).site, (CodeName{module().hash, 0x220}));
}

TEST_F(BranchLogTest, ConstantsAreMarkedAndSwappedOperandsAreSwappedBack) {
  compare(kConstantComparison, 0x1ff, 7);
  compare(kSwappedComparison, 1, 2);
  ASSERT_EQ(values(), 2u);
  EXPECT_TRUE(value(0).constant);
  EXPECT_EQ(value(0).first, 0xffu);
  EXPECT_EQ(value(1).first, 2u);
  EXPECT_EQ(value(1).second, 1u);
}

TEST_F(BranchLogTest, EqualComparisonsAreReportedOnce) {
  for (int round = 0; round < 3; ++round) {
    compare(kComparison, 1, 2);
    compare(kComparison, 2, 2);
  }
  compare(kSwappedComparison, 2, 1);
  EXPECT_EQ(values(), 3u);
}

TEST_F(BranchLogTest, ALoopCannotFillTheTable) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    compare(kComparison, i, 10'000);
  }
  std::uint32_t of_loop = values();
  EXPECT_LT(of_loop, 100u);
  compare(kSwappedComparison, 1, 2);
  EXPECT_EQ(values(), of_loop + 1) << "other places still report";
  log_.end();
  EXPECT_EQ(record_->compared_values.overflowed.load(), 10'000 - of_loop);
}

TEST_F(BranchLogTest, ByteStringsAreCutAndEqualOnesLeftOut) {
  std::string longer(100, 'x');
  log_.compare_bytes(1, {7, 8}, longer.data(), longer.size(), "abc", 3);
  log_.compare_bytes(2, {7, 8}, longer.data(), longer.size(), "abc", 3);
  log_.compare_bytes(1, {7, 8}, "same", 4, "same", 4);
  ASSERT_EQ(record_->compared_bytes.size(), 1u);
  const ComparedBytes& bytes = record_->compared_bytes.items[0];
  EXPECT_EQ(bytes.first_size, ComparedBytes::kMost);
  EXPECT_EQ(bytes.second_size, 3);
  EXPECT_EQ(bytes.second[2], 'c');
  EXPECT_EQ(bytes.thread, 1);
}

TEST_F(BranchLogTest, EdgesAreCountedUpToABound) {
  for (int i = 0; i < 1000; ++i) {
    log_.enter_block(main_, kBlock);
  }
  // The first time from nowhere, then from itself.
  EXPECT_EQ(count_edges(*record_), 2);
  EXPECT_EQ(*std::max_element(std::begin(record_->edges), std::end(record_->edges)), 255);
}

TEST_F(BranchLogTest, AnEdgeHasADirection) {
  log_.enter_block(main_, kBlock);
  log_.enter_block(main_, kOtherBlock);
  EXPECT_EQ(count_edges(*record_), 2);
  log_.enter_block(main_, kBlock);
  EXPECT_EQ(count_edges(*record_), 3);
}

TEST_F(BranchLogTest, ThreadsOfOneRoleShareTheirEdges) {
  ThreadMemory workers[2] = {ThreadMemory(1), ThreadMemory(2)};
  ThreadMemory other(3);
  workers[0].role = workers[1].role = 0x1234;
  other.role = 0x4321;
  log_.enter_block(workers[0], kBlock);
  EXPECT_EQ(count_edges(*record_), 1);
  log_.enter_block(workers[1], kBlock);
  EXPECT_EQ(count_edges(*record_), 1);
  log_.enter_block(other, kBlock);
  EXPECT_EQ(count_edges(*record_), 2);
}

TEST_F(BranchLogTest, NothingIsReportedAfterTheEndOrWithoutARecord) {
  log_.end();
  log_.enter_block(main_, kBlock);
  compare(kComparison, 1, 2);
  BranchLog silent;
  silent.start(nullptr, *modules_);
  silent.enter_block(main_, kBlock);
  EXPECT_TRUE(silent.repeats(module().first_branch + kComparison, 1, 2));
  EXPECT_EQ(count_edges(*record_), 0);
  EXPECT_EQ(values(), 0u);
}

TEST(BranchLog, OfAProgramWithoutBranchesIsInactive) {
  std::unique_ptr<Modules> modules = modules_of_test(false);
  auto record = std::make_unique<RunRecord>();
  BranchLog log;
  log.start(record.get(), *modules);
  EXPECT_FALSE(log.active());
  EXPECT_EQ(record->has_branches, 0u);
}

}  // namespace
}  // namespace rff
