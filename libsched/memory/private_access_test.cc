// Unit tests of the fast paths of accesses: they leave what the whole way leaves.
#include "libsched/memory/private_access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

alignas(256) std::uint64_t memory[128];
std::uint64_t& x = memory[0];
std::uint64_t& y = memory[1];
const auto kX = reinterpret_cast<std::uint64_t>(&x);
constexpr std::uint64_t kNowhere = 0;  // no stack pointer that matters

// Returns the hash of a run whose only thread accesses a private word in one of three ways.
template <typename Access>
std::uint64_t hash_of_private(Access access) {
  std::fill(std::begin(memory), std::end(memory), 0);
  WatchedProgram p;
  p.run([&] {
    p.write(kWrite, x, std::uint64_t{1});  // the fastest path is for words used before
    p.read(kRead, x);
    p.accesses.commit(p.main);
    EXPECT_TRUE(access(p, kWrite2, true));
    x = 7;
    EXPECT_TRUE(access(p, kRead, false));
    p.write(kWrite, x, std::uint64_t{2});
    p.read(kRead2, x);
  });
  return p.accesses.trace_hash();
}

TEST(PrivateAccess, EveryWayToAPrivateWordLeavesTheSameHash) {
  std::uint64_t whole = hash_of_private([](WatchedProgram& p, Site site, bool writes) {
    p.access(site, writes ? OpKind::kWrite : OpKind::kRead, x);
    return true;
  });
  std::uint64_t words = hash_of_private([](WatchedProgram& p, Site site, bool writes) {
    return p.accesses.private_words(p.main, p.module(), site, writes, kX, 8);
  });
  std::uint64_t shortest = hash_of_private([](WatchedProgram& p, Site site, bool) {
    return p.accesses.private_access(p.shadow, p.execution.steps, *p.main.memory,
                                     p.module().fast[site], kX, &kNowhere);
  });
  EXPECT_EQ(words, whole);
  EXPECT_EQ(shortest, whole);
}

// A run whose only thread makes 3,000 accesses of 4, 8 and 32 bytes to nine words of one block,
// each by the shortest of some ways that takes it. Returns who wrote each byte last after each of
// them, and the hash.
enum Ways { kWhole, kWords, kShortest };
std::vector<std::uint64_t> run_of_private(Ways shortest, int* taken) {
  struct Kind {
    Site site;
    OpKind op;
    std::uint64_t size;
  };
  constexpr Kind kKinds[] = {
      {kRead, OpKind::kRead, 8},         {kRead4Bytes, OpKind::kRead, 4},
      {kRead32Bytes, OpKind::kRead, 32}, {kWrite, OpKind::kWrite, 8},
      {kWrite4Bytes, OpKind::kWrite, 4}, {kWrite32Bytes, OpKind::kWrite, 32}};
  std::fill(std::begin(memory), std::end(memory), 0);
  WatchedProgram p;
  std::vector<std::uint64_t> seen;
  auto look = [&] {
    for (std::uint64_t byte = 0; byte < 72; ++byte) {
      seen.push_back(p.accesses.last_writer(kX + byte));
      seen.push_back(p.shadow.cell(kX + byte).reader_code);
    }
  };
  p.run([&] {
    Random random(1);
    for (int i = 0; i < 3000; ++i) {
      const Kind& kind = kKinds[random.below(std::size(kKinds))];
      std::uint64_t step = kind.size == 8 ? 8 : 4;
      std::uint64_t place = random.below((72 - kind.size) / step + 1) * step;
      bool done = shortest == kShortest &&
                  p.accesses.private_access(p.shadow, p.execution.steps, *p.main.memory,
                                            p.module().fast[kind.site], kX + place, &kNowhere);
      *taken += done ? 1 : 0;
      done = done || (shortest != kWhole &&
                      p.accesses.private_words(p.main, p.module(), kind.site,
                                               kind.op == OpKind::kWrite, kX + place, kind.size));
      if (!done) {
        p.accesses.access(p.main, p.module(), kind.site, {kind.op, kX + place, kind.size});
      }
      if (kind.op == OpKind::kWrite) {
        std::memset(reinterpret_cast<char*>(memory) + place, static_cast<int>(random.below(3)),
                    kind.size);
      }
      look();
    }
    p.accesses.commit(p.main);
  });
  seen.push_back(p.accesses.trace_hash());
  seen.push_back(p.execution.steps);
  return seen;
}

TEST(PrivateAccess, EveryWayToSeveralPrivateWordsLeavesTheSame) {
  int taken = 0;
  std::vector<std::uint64_t> whole = run_of_private(kWhole, &taken);
  EXPECT_EQ(run_of_private(kWords, &taken), whole);
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(run_of_private(kShortest, &taken), whole);
  EXPECT_GT(taken, 2000);
}

// Returns the hash of a run in which a thread reads twice what came before it, the second time in
// one of three ways.
template <typename Access>
std::uint64_t hash_of_repeated(Access access) {
  std::fill(std::begin(memory), std::end(memory), 0);
  WatchedProgram p;
  bool over = false;
  p.run([&] {
    // The write does not come before this thread, so it stays known.
    Thread& bystander = p.create([&] { p.wait_for(over, 7); });
    p.write(kWrite, x, std::uint64_t{1});
    p.together({[&] {
      p.read(kRead, x);
      EXPECT_TRUE(access(p));
      p.read(kRead2, y);
    }});
    over = true;
    p.join(bystander);
  });
  return p.accesses.trace_hash();
}

TEST(PrivateAccess, EveryWayToReadAgainLeavesTheSameHash) {
  std::uint64_t whole = hash_of_repeated([](WatchedProgram& p) {
    p.access(kRead, OpKind::kRead, x);
    return true;
  });
  std::uint64_t words = hash_of_repeated([](WatchedProgram& p) {
    return p.accesses.private_words(p.current(), p.module(), kRead, false, kX, 8);
  });
  std::uint64_t shortest = hash_of_repeated([](WatchedProgram& p) {
    return p.accesses.private_access(p.shadow, p.execution.steps, *p.current().memory,
                                     p.module().fast[kRead], kX, &kNowhere);
  });
  EXPECT_EQ(words, whole);
  EXPECT_EQ(shortest, whole);
}

TEST(PrivateAccess, NoPrivateWayIsForLockedInstructions) {
  WatchedProgram p;
  p.run([&] {
    p.write(kWrite, x, std::uint64_t{1});
    EXPECT_FALSE(p.accesses.private_words(p.main, p.module(), kLockedUpdate, true, kX, 8));
    EXPECT_FALSE(p.accesses.private_access(p.shadow, p.execution.steps, *p.main.memory,
                                           p.module().fast[kLockedUpdate], kX, &kNowhere));
  });
}

TEST(PrivateAccess, NoPrivateWayLeadsToAWordOfAnotherThread) {
  WatchedProgram p;
  p.run([&] {
    p.write(kWrite, x, std::uint64_t{1});
    p.together({[&] {
      ThreadMemory& mine = *p.current().memory;
      EXPECT_FALSE(p.accesses.private_access(p.shadow, p.execution.steps, mine,
                                             p.module().fast[kRead], kX, &kNowhere));
      EXPECT_FALSE(p.accesses.private_words(p.current(), p.module(), kRead, false, kX, 8));
    }});
  });
}

}  // namespace
}  // namespace rff
