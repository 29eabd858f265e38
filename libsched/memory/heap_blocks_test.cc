#include "libsched/memory/heap_blocks.h"

#include <gtest/gtest.h>

#include <csetjmp>

#include "libsched/memory/memory_check.h"
#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

constexpr std::uint64_t kChunk = 0x10000;

// A block of `size` bytes between two redzones of 16.
HeapBlock block(std::uint64_t chunk, std::uint64_t size) {
  HeapBlock b;
  b.chunk = chunk;
  b.begin = chunk + 16;
  b.size = size;
  b.chunk_size = 16 + ((size + 15) & ~std::uint64_t{15}) + 16;
  return b;
}

TEST(HeapBlocks, ABlockIsFoundByItsBeginAndByItsChunk) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 20));
  EXPECT_NE(blocks.at(kChunk + 16), nullptr);
  EXPECT_EQ(blocks.at(kChunk + 17), nullptr);
  EXPECT_NE(blocks.around(kChunk), nullptr);
  EXPECT_NE(blocks.around(kChunk + 63), nullptr);
  EXPECT_EQ(blocks.around(kChunk + 64), nullptr);
  EXPECT_EQ(blocks.around(kChunk - 1), nullptr);
  blocks.remove(*blocks.at(kChunk + 16));
  EXPECT_EQ(blocks.around(kChunk + 16), nullptr);
}

TEST(HeapBlocks, TheFirstWrongByteIsFound) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 20));
  std::uint64_t begin = kChunk + 16;
  EXPECT_EQ(blocks.first_wrong(begin, 20).block, nullptr);
  EXPECT_EQ(blocks.first_wrong(begin + 16, 8).address, begin + 20);
  EXPECT_TRUE(blocks.first_wrong(begin + 16, 8).any_good);
  EXPECT_EQ(blocks.first_wrong(begin - 4, 8).address, begin - 4);
  EXPECT_EQ(blocks.first_wrong(begin + 20, 1).address, begin + 20);
  EXPECT_FALSE(blocks.first_wrong(begin + 20, 1).any_good);
  EXPECT_EQ(blocks.first_wrong(kChunk + 64, 100).block, nullptr);
  blocks.at(begin)->freed = true;
  EXPECT_EQ(blocks.first_wrong(begin + 3, 1).address, begin + 3);
  EXPECT_FALSE(blocks.first_wrong(begin + 3, 1).any_good);
}

TEST(HeapBlocks, SmallAndLargeBlocksAreFoundInOrder) {
  HeapBlocks blocks;
  std::uint64_t at = kChunk;
  for (std::uint64_t size : {4000, 5000, 40, 100000, 20}) {
    at = blocks.add(block(at, size)).chunk_end();
  }
  HeapBlock* b = blocks.around(kChunk);
  for (std::uint64_t size : {4000, 5000, 40, 100000, 20}) {
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->size, size);
    EXPECT_EQ(blocks.at(b->begin), b);
    EXPECT_EQ(blocks.around(b->chunk), b);
    EXPECT_EQ(blocks.around(b->chunk_end() - 1), b);
    // The first wrong byte of a range from inside the block up to the end of all is behind it.
    HeapBlocks::Wrong wrong = blocks.first_wrong(b->begin, at - b->begin);
    EXPECT_EQ(wrong.block, b);
    EXPECT_EQ(wrong.address, b->end());
    b = blocks.around(b->chunk_end());
  }
  EXPECT_EQ(b, nullptr);
  HeapBlock* large = blocks.at(kChunk + 4032 + 16);
  ASSERT_NE(large, nullptr);
  blocks.remove(*large);
  EXPECT_EQ(blocks.around(kChunk + 4032 + 16), nullptr);
  EXPECT_EQ(blocks.first_wrong(kChunk + 4032, 6000).block, blocks.around(kChunk + 4032 + 5040));
}

TEST(HeapBlocks, ARangeMayBeginInUnknownMemory) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 20));
  EXPECT_EQ(blocks.first_wrong(kChunk - 100, 101).address, kChunk);
  EXPECT_EQ(blocks.first_wrong(kChunk - 100, 100).block, nullptr);
}

TEST(HeapBlocks, GuardsTellGoodPartialFreedAndRedzone) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 20));
  std::uint8_t guards[kBlockWords];
  blocks.guards(kChunk, guards);
  const std::uint8_t live[] = {Guard::kRedzone, Guard::kRedzone, Guard::kGood,    Guard::kGood, 4,
                               Guard::kRedzone, Guard::kRedzone, Guard::kRedzone, Guard::kGood};
  for (std::size_t i = 0; i < std::size(live); ++i) {
    EXPECT_EQ(guards[i], live[i]) << i;
  }
  blocks.at(kChunk + 16)->freed = true;
  blocks.guards(kChunk, guards);
  EXPECT_EQ(guards[2], Guard::kFreed);
  EXPECT_EQ(guards[4], Guard::kFreed);
  EXPECT_EQ(guards[5], Guard::kRedzone);
}

TEST(Guards, ABlockOfShadowGetsThemWhenItIsMade) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 20));
  Shadow shadow;
  shadow.set_guards(&blocks);
  EXPECT_EQ(shadow.cell(kChunk + 32).guard, 4);
  EXPECT_EQ(shadow.cell(kChunk + 16).guard, Guard::kGood);
  blocks.at(kChunk + 16)->freed = true;
  shadow.guard(kChunk + 16, 24, Guard::kFreed);
  EXPECT_EQ(shadow.cell(kChunk + 16).guard, Guard::kFreed);
  blocks.remove(*blocks.at(kChunk + 16));
  shadow.forget(kChunk, 64);
  EXPECT_EQ(shadow.cell(kChunk + 16).guard, Guard::kGood);
}

TEST(Guards, AGuardedWordIsNobodysAlone) {
  HeapBlocks blocks;
  Shadow shadow;
  ThreadMemory t;
  shadow.set_guards(&blocks);
  Cell& c = shadow.cell(kChunk + 16);
  c.read_in = c.written_in = t.era;
  ASSERT_TRUE(c.read_by(t) && c.written_by(t));
  shadow.guard(kChunk, 64, Guard::kFreed);
  EXPECT_FALSE(c.read_by(t));
  EXPECT_FALSE(c.written_by(t));
  PlainEras plain(c);
  EXPECT_EQ(c.read_in, t.era);
}

TEST(Guards, ALargeFreedBlockNeedsNoCells) {
  HeapBlocks blocks;
  blocks.add(block(kChunk, 4096)).freed = true;
  Shadow shadow;
  shadow.set_guards(&blocks);
  EXPECT_EQ(shadow.block(kChunk + 512).cells, nullptr);
  EXPECT_EQ(shadow.block(kChunk + 512).all.guard, Guard::kFreed);
  EXPECT_EQ(shadow.cell(kChunk + 512).guard, Guard::kFreed);
}

// Reports to the test, which goes on behind the access.
class Reports : public MemoryErrorListener {
 public:
  [[noreturn]] void memory_error(const FoundMemoryError& error) override {
    last = error;
    std::longjmp(back, 1);
  }
  FoundMemoryError last;
  std::jmp_buf back;
};

struct CheckTest : ::testing::Test {
  FindingKind found(OpKind op, std::uint64_t address, std::uint64_t size, CodeName site = {7, 5}) {
    check.start(checks, blocks, reports);
    if (setjmp(reports.back) == 0) {
      check.access(thread, {op, address, size, site, 1, one_load});
      return FindingKind::kNone;
    }
    return reports.last.kind;
  }
  bool one_load = true;
  Checks checks{kCheckMemory, 64, {}, {}};
  HeapBlocks blocks;
  Reports reports;
  MemoryCheck check;
  Thread thread;
};

TEST_F(CheckTest, EachErrorHasItsKind) {
  blocks.add(block(kChunk, 20));
  std::uint64_t begin = kChunk + 16;
  EXPECT_EQ(found(OpKind::kRead, begin, 20), FindingKind::kNone);
  EXPECT_EQ(found(OpKind::kWrite, begin + 20, 1), FindingKind::kHeapOverflow);
  EXPECT_EQ(found(OpKind::kWrite, begin + 18, 4), FindingKind::kHeapOverflow);
  EXPECT_EQ(found(OpKind::kRead, begin - 1, 1), FindingKind::kHeapUnderflow);
  blocks.at(begin)->freed = true;
  EXPECT_EQ(found(OpKind::kRead, begin, 1), FindingKind::kUseAfterFree);
  EXPECT_EQ(found(OpKind::kLock, begin, 4), FindingKind::kUseAfterFree);
  EXPECT_EQ(found(OpKind::kFree, begin, 20), FindingKind::kDoubleFree);
}

TEST_F(CheckTest, AnAlignedLoadMayRunOverTheEnd) {
  blocks.add(block(kChunk, 20));
  std::uint64_t begin = kChunk + 16;
  EXPECT_EQ(found(OpKind::kRead, begin + 16, 8), FindingKind::kNone);
  EXPECT_EQ(found(OpKind::kWrite, begin + 16, 8), FindingKind::kHeapOverflow);
  EXPECT_EQ(found(OpKind::kRead, begin + 18, 8), FindingKind::kHeapOverflow);
  EXPECT_EQ(found(OpKind::kRead, begin + 24, 8), FindingKind::kHeapOverflow);
  one_load = false;
  EXPECT_EQ(found(OpKind::kRead, begin + 16, 8), FindingKind::kHeapOverflow);
  one_load = true;
  checks.bits |= kCheckStrict;
  EXPECT_EQ(found(OpKind::kRead, begin + 16, 8), FindingKind::kHeapOverflow);
}

TEST_F(CheckTest, IgnoredCodeMayDoAnything) {
  blocks.add(block(kChunk, 20)).freed = true;
  checks.ignored_code = {{7, 5, 9}, {7, 20, 30}, {8, 0, 1}};
  auto at = [&](CodeName site) { return found(OpKind::kRead, kChunk + 16, 1, site); };
  EXPECT_EQ(at({7, 5}), FindingKind::kNone);
  EXPECT_EQ(at({7, 8}), FindingKind::kNone);
  EXPECT_EQ(at({7, 25}), FindingKind::kNone);
  EXPECT_EQ(at({7, 4}), FindingKind::kUseAfterFree);
  EXPECT_EQ(at({7, 15}), FindingKind::kUseAfterFree);
  EXPECT_EQ(at({9, 25}), FindingKind::kUseAfterFree);
}

}  // namespace
}  // namespace rff
