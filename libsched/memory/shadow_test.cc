#include "libsched/memory/shadow.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "libsched/support/arena.h"
#include "libsched/support/runtime_stack.h"
#include "schedule/hash.h"

namespace rff {

std::uint64_t fresh_bytes = 0;

void* fresh_memory(std::size_t bytes) {
  fresh_bytes += bytes;
  return std::calloc(1, bytes);
}

[[noreturn]] void panic(const char*, const char*) { std::abort(); }

namespace {

// The test's stack serves as the runtime's own.
[[maybe_unused]] const bool kOnRuntimeStack = now_on_runtime_stack = true;

constexpr std::uint64_t kBlocks = 4;
alignas(kBlockBytes) unsigned char memory[kBlocks * kBlockBytes];
const auto kBase = reinterpret_cast<std::uint64_t>(memory);

TEST(Cell, HasItsTraitsWhereChecksInPatchedCodeLook) {
  Cell known{}, bytewise{}, halves{};
  known.known = bytewise.bytewise = halves.halves = true;
  auto traits = [](const Cell& c) {
    hook::JoinedCell seen;
    std::memcpy(&seen, &c, sizeof seen);
    return seen.traits;
  };
  EXPECT_EQ(traits(known), hook::kCellKnown);
  EXPECT_EQ(traits(bytewise), hook::kCellBytewise);
  EXPECT_EQ(traits(halves), hook::kCellHalves);
}

// As Accesses does it: long writes are named as a whole, others by the place where they begin.
void write(Shadow& shadow, std::uint64_t address, std::uint64_t size, std::uint32_t code) {
  constexpr std::uint64_t kLongest = 64;
  bool near = size <= kLongest;
  std::uint32_t name = near ? code : code | kInterned;
  for_each_part(
      shadow, address, size, [&](Block& b) { shadow.write(b.all, kWholeWord, name, 0, code); },
      [&](Cell& c, std::uint64_t word, std::uint8_t mask) {
        shadow.write(c, mask, name, static_cast<std::int8_t>(near ? word - address : 0), code);
      });
}

Writer writer_at(const Shadow& shadow, std::uint64_t address) {
  const Cell* c = shadow.cell_if_any(address);
  Writer writers[8];
  if (c == nullptr) {
    return {};
  }
  EXPECT_EQ(shadow.writers(*c, byte_mask(address, 1), word_of(address), writers), 1);
  return writers[0];
}

std::uint32_t writer(const Shadow& shadow, std::uint64_t address) {
  return writer_at(shadow, address).code & ~kInterned;
}

struct Written {
  std::uint32_t code = 0;
  std::uint64_t begin = 0;
};

void expect_writer(const Shadow& shadow, std::uint64_t address, const Written& expected) {
  Writer w = writer_at(shadow, address);
  ASSERT_EQ(w.code & ~kInterned, expected.code) << address - kBase;
  if (w.code != 0 && (w.code & kInterned) == 0) {
    ASSERT_EQ(w.address, expected.begin) << address - kBase;
  }
  if (shadow.exact) {
    ASSERT_EQ(w.step, expected.code);
  }
}

void check_writers(bool exact) {
  Shadow shadow;
  shadow.exact = exact;
  std::map<std::uint64_t, Written> expected;
  Random random(1);
  for (std::uint32_t code = 1; code < 6000; ++code) {
    constexpr std::uint64_t kSizes[] = {1, 2, 4, 4, 4, 8, 16, 100, kBlockBytes, 3 * kBlockBytes};
    std::uint64_t size = kSizes[random.below(std::size(kSizes))];
    std::uint64_t offset = random.below(sizeof memory - size + 1);
    if (random.chance(1, 3)) {
      offset &= ~(kBlockBytes - 1);
    } else if (size == 4) {
      offset = (offset & ~std::uint64_t{3}) % 64;  // often the same words
    }
    bool forget = random.chance(1, 10);
    if (forget) {
      offset &= ~std::uint64_t{7};
      size = (size + 7) & ~std::uint64_t{7};
      shadow.forget(kBase + offset, size);
    } else {
      write(shadow, kBase + offset, size, code);
    }
    for (std::uint64_t i = 0; i < size; ++i) {
      expected[kBase + offset + i] = forget ? Written{} : Written{code, kBase + offset};
    }
    std::uint64_t looked_at = kBase + random.below(sizeof memory);
    expect_writer(shadow, looked_at, expected[looked_at]);
  }
  for (std::uint64_t i = 0; i < sizeof memory; ++i) {
    expect_writer(shadow, kBase + i, expected[kBase + i]);
  }
}

TEST(Shadow, KnowsTheLastWriterOfEveryByteWhateverTheSizesOfWrites) { check_writers(false); }

TEST(Shadow, KnowsTheStepOfEveryWriteOnRequest) { check_writers(true); }

TEST(Shadow, TwoWritesOfHalvesAreTwoWriters) {
  for (bool exact : {false, true}) {
    Shadow shadow;
    shadow.exact = exact;
    write(shadow, kBase, 4, 7);
    write(shadow, kBase + 4, 4, 7);
    Writer writers[8];
    ASSERT_EQ(shadow.writers(shadow.cell(kBase), kWholeWord, kBase, writers), 2);
    EXPECT_EQ(writers[0].address, kBase);
    EXPECT_EQ(writers[1].address, kBase + 4);
  }
}

TEST(Shadow, NeedsOneCellForABlockThatIsOnlyUsedAsAWhole) {
  Shadow shadow;
  std::uint64_t before = fresh_bytes;
  write(shadow, kBase, sizeof memory, 7);
  EXPECT_EQ(fresh_bytes - before, kBlocks * sizeof(Block));
  EXPECT_EQ(shadow.block(kBase).cells, nullptr);
  shadow.cell(kBase + 16);
  EXPECT_NE(shadow.block(kBase).cells, nullptr);
  EXPECT_EQ(writer(shadow, kBase + 17), 7u);
  EXPECT_EQ(shadow.block(kBase + kBlockBytes).cells, nullptr);
}

// Takes the content of a block, as an event would.
void look_at(Block& b) {
  b.all.read_in = 1;
  b.all.value = 0;
  b.all.known = probe_words(b.address(), kBlockWords, &b.all.value);
}

TEST(Shadow, WordsOfASplitBlockHaveTheirValues) {
  Shadow shadow;
  memory[8] = 42;
  look_at(shadow.block(kBase));
  const Cell& c = shadow.cell(kBase + 8);
  EXPECT_TRUE(c.known);
  EXPECT_EQ(c.value, 42u);
  EXPECT_EQ(c.read_in, 1u);
}

TEST(Shadow, NoWordMatchesItsValueWhereSomethingWroteToItsBlockUnseen) {
  Shadow shadow;
  memory[8] = 42;
  look_at(shadow.block(kBase));
  memory[16] = 1;
  EXPECT_TRUE(shadow.cell(kBase + 8).known);
  EXPECT_NE(shadow.cell(kBase + 8).value, 42u);
  memory[8] = memory[16] = 0;
}

TEST(Shadow, MixedSizesOfWritesToOneWordDoNotGrowIt) {
  Shadow shadow;
  write(shadow, kBase, 8, 1);
  write(shadow, kBase, 1, 2);
  std::uint64_t before = fresh_bytes;
  for (std::uint32_t code = 3; code < 100'000; code += 2) {
    write(shadow, kBase, 8, code);
    write(shadow, kBase, 1, code + 1);
  }
  EXPECT_EQ(fresh_bytes, before);
}

TEST(Shadow, MemoryGivenOutAgainTakesTheCellsOfMemoryGivenBack) {
  Shadow shadow;
  shadow.cell(kBase);
  shadow.forget(kBase, kBlockBytes);
  std::uint64_t before = fresh_bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(shadow.cell(kBase).read_in, 0u);
    shadow.cell(kBase).read_in = 3;
    shadow.forget(kBase, kBlockBytes);
  }
  EXPECT_EQ(fresh_bytes, before);
}

}  // namespace
}  // namespace rff
