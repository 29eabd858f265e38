// The exploration of reads-from classes against that of all interleavings.
#include "fuzzer/systematic/reads_from_explorer.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/systematic/random_programs.h"
#include "fuzzer/systematic/scheduling_graph.h"

namespace rff {
namespace {

using Rest = Exploration::Rest;

SimulatedStep step_of(std::uint64_t hash) {
  int place = static_cast<int>(hash / 8 % 2);
  switch (hash / 16 % 4) {
    case 2: return write(place, static_cast<int>(1 + hash / 64 % 2));
    case 3: return add(place);
    default: return read(place);
  }
}

// A thread whose steps depend on what it has read.
SimulatedThread random_thread(std::uint64_t seed, std::uint64_t length) {
  return [=](const std::vector<int>& made) -> std::optional<SimulatedStep> {
    std::uint64_t hash = seed;
    for (int value : made) {
      hash =
          hash_combine(hash, op_reads(step_of(hash).op) ? static_cast<std::uint64_t>(value) : 99);
    }
    bool ends = made.size() >= length || hash % 8 == 0;
    return ends ? std::nullopt : std::optional(step_of(hash));
  };
}

// Compares the reads-from classes that are explored with those of all interleavings.
class ReadsFromClasses : public testing::Test {
 protected:
  static std::set<std::uint64_t> classes(Explorer& explorer, const Threads& threads, Rest rest) {
    SimulatedProgram program(threads);
    Random random(1);
    std::set<std::uint64_t> seen;
    while (std::optional<Exploration> plan = explorer.next(random)) {
      plan->rest = rest;
      ExploredRun run(program.run(*plan));
      seen.insert(run.reads_from());
      EXPECT_TRUE(explorer.observe(run));
      EXPECT_EQ(explorer.not_suited(), "");
    }
    return seen;
  }

  void compare(const Threads& threads, int round) {
    SchedulingGraph graph(Rest::kFirst, ExplorationBound::kNone, 0);
    ReadsFromExplorer explorer;
    auto all = classes(graph, threads, Rest::kFirst);
    auto found = classes(explorer, threads, Rest::kReadsLast);
    ASSERT_EQ(found, all) << "round " << round;
    runs_ += explorer.classes() + explorer.redundant();
    classes_ += all.size();
  }

  std::uint64_t runs_ = 0, classes_ = 0;
};

TEST_F(ReadsFromClasses, OfRandomProgramsWithLocksAreThoseOfAllInterleavings) {
  Random random(2025);
  for (int round = 0; round < 30; ++round) {
    compare(random_threads(random), round);
  }
  EXPECT_LT(runs_, 2 * classes_);
}

TEST_F(ReadsFromClasses, OfRandomProgramsWithBranchesAreThoseOfAllInterleavings) {
  Random random(2026);
  for (int round = 0; round < 120; ++round) {
    Threads threads;
    for (std::uint64_t n = 2 + random.below(2); threads.size() < n;) {
      threads.push_back(random_thread(random.next(), 1 + random.below(4)));
    }
    compare(threads, round);
  }
  EXPECT_LT(runs_, 2 * classes_);
}

// In these, what a step may read from shows only while another write is tried.
TEST_F(ReadsFromClasses, AStepMayBeDeferredMoreThanOnce) {
  struct Seeded {
    std::uint64_t seed, length;
  };
  constexpr Seeded kPrograms[][3] = {
      {{2572088825543068579U, 2}, {9941858382439114323U, 3}, {8428108722508859883U, 3}},
      {{11246358004248322282U, 3}, {2472526580087626732U, 3}, {12902190725195731114U, 4}},
      {{7002867160513139061U, 3}, {13548632199721229836U, 4}, {6084255179466513189U, 2}}};
  int number = 0;
  for (const auto& program : kPrograms) {
    Threads threads;
    for (const Seeded& thread : program) {
      threads.push_back(random_thread(thread.seed, thread.length));
    }
    compare(threads, number++);
  }
}

}  // namespace
}  // namespace rff
