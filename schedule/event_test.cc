#include "schedule/event.h"

#include <gtest/gtest.h>

#include <set>

namespace rff {
namespace {

const Location kX{LocationKind::kGlobal, 7, 0x40};

TEST(Event, IdDependsOnOpLocationAndSiteButNotOnSize) {
  auto e = AbstractEvent::make(OpKind::kRead, kX, 4, {1, 2});
  std::set<std::uint64_t> ids = {
      e.id(),
      AbstractEvent::make(OpKind::kWrite, kX, 4, {1, 2}).id(),
      AbstractEvent::make(OpKind::kRead, {LocationKind::kGlobal, 7, 0x44}, 4, {1, 2}).id(),
      AbstractEvent::make(OpKind::kRead, {LocationKind::kHeap, 7, 0x40}, 4, {1, 2}).id(),
      AbstractEvent::make(OpKind::kRead, kX, 4, {1, 3}).id(),
      AbstractEvent::init(kX).id(),
      AbstractEvent::unseen(kX).id()};
  EXPECT_EQ(ids.size(), 7u);
  EXPECT_EQ(e.id(), AbstractEvent::make(OpKind::kRead, kX, 8, {1, 2}).id());
}

TEST(Event, IdsAreTheSameForEver) {
  // Files on disk hold these: a change of the hash must bump the file version.
  EXPECT_EQ(AbstractEvent::make(OpKind::kRead, kX, 4, {1, 2}).id(), 1227023141847366437ULL);
}

TEST(Event, ModuleNameIgnoresFolderAndPatchedSuffix) {
  EXPECT_EQ(module_hash("/usr/bin/pigz"), module_hash("out/pigz.patched"));
  EXPECT_NE(module_hash("pigz"), module_hash("unpigz"));
}

TEST(Event, LocksReadAndWriteTheirObject) {
  EXPECT_TRUE(op_reads(OpKind::kLock) && op_writes(OpKind::kLock));
  EXPECT_TRUE(!op_reads(OpKind::kUnlock) && op_writes(OpKind::kUnlock));
  EXPECT_TRUE(op_reads(OpKind::kTryLockFailed) && !op_writes(OpKind::kTryLockFailed));
}

TEST(Event, MixedSizesConflictWhereBytesOverlap) {
  auto wide = AbstractEvent::make(OpKind::kWrite, kX, 8, {1, 2});
  auto upper = AbstractEvent::make(OpKind::kRead, {LocationKind::kGlobal, 7, 0x44}, 4, {1, 3});
  auto beyond = AbstractEvent::make(OpKind::kRead, {LocationKind::kGlobal, 7, 0x48}, 4, {1, 3});
  EXPECT_TRUE(conflicting(wide, upper));
  EXPECT_FALSE(conflicting(wide, beyond));
  EXPECT_FALSE(conflicting(upper, upper)) << "two reads do not conflict";
}

TEST(Event, StackLocationsCountDownwards) {
  auto wide = AbstractEvent::make(OpKind::kWrite, {LocationKind::kStack, 0, 0x20}, 8, {1, 2});
  auto upper = AbstractEvent::make(OpKind::kRead, {LocationKind::kStack, 0, 0x1c}, 4, {1, 3});
  auto below = AbstractEvent::make(OpKind::kRead, {LocationKind::kStack, 0, 0x24}, 4, {1, 3});
  EXPECT_TRUE(conflicting(wide, upper));
  EXPECT_FALSE(conflicting(wide, below));
}

// Files may hold any offset; the fuzzer of schedule files found this one.
TEST(Event, AnExtentPastTheHighestOffsetOverlapsNothing) {
  Location last{LocationKind::kGlobal, 7, 0x7fffffffffffff7a};
  auto event = AbstractEvent::make(OpKind::kWrite, last, 1028, {1, 2});
  EXPECT_FALSE(same_location(event, event));
}

TEST(Event, DescriptionNamesOpPlaceAndSite) {
  EXPECT_EQ(describe(AbstractEvent::make(OpKind::kWrite, kX, 4, {1, 2})),
            "write(00000007:0x40)@00000001+0x2");
  EXPECT_EQ(describe(AbstractEvent::init(kX)), "init(00000007:0x40)");
}

}  // namespace
}  // namespace rff
