// Runs random scripts of allocations and accesses with --check memory, and compares what is found
// with the model: memory_scripts_test [PATCHED INTERPRETER] [FIRST SEED] [NUMBER].
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/memory_scripts/script.h"
#include "tests/support/runner.h"

namespace rff::test {
namespace {

struct Settings {
  std::string interpreter;
  std::uint64_t first = 1, number = 100;
} settings;

// Whether aligned loads that run over an end are errors, too.
bool strict(std::uint64_t seed) { return seed % 4 == 3; }

RunResult run(const Script& script, std::uint64_t seed) {
  Checks checks;
  checks.bits = kCheckMemory;
  if (strict(seed)) {
    checks.bits |= kCheckStrict;
  }
  setenv(kChecksVariable, checks_to_text(checks).c_str(), 1);
  Runner runner({settings.interpreter, script.text});
  setenv(kCarrierVariable, seed % 2 == 0 ? "fiber" : "thread", 1);
  SchedulerKind kind = seed % 3 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
  return runner.run(runner.schedule(kind, seed));
}

TEST(MemoryScripts, TheFirstErrorIsTheModels) {
  for (std::uint64_t seed = settings.first; seed < settings.first + settings.number; ++seed) {
    Script script(seed, true, strict(seed));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + script.text);
    RunResult r = run(script, seed);
    if (!script.error) {
      ASSERT_TRUE(r.ended()) << r.message();
      continue;
    }
    const ExpectedError& expected = *script.error;
    ASSERT_TRUE(r.found()) << "expected " << finding_name(expected.kind);
    ASSERT_EQ(finding_name(r.run().finding), finding_name(expected.kind)) << r.message();
    const SharedMemoryError& error = r.run().memory_error;
    EXPECT_EQ(error.thread_name.view(), "main." + std::to_string(expected.thread + 1));
    EXPECT_EQ(static_cast<long>(error.address - error.block), expected.offset) << r.message();
    EXPECT_EQ(static_cast<long>(error.wrong - error.block), expected.wrong) << r.message();
    EXPECT_EQ(static_cast<long>(error.block_size), expected.block_size) << r.message();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(MemoryScripts, CleanOnesAreLeftAlone) {
  for (std::uint64_t seed = settings.first; seed < settings.first + settings.number; ++seed) {
    Script script(seed, false);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + script.text);
    ASSERT_FALSE(script.error);
    RunResult r = run(script, seed);
    ASSERT_TRUE(r.ended()) << r.message();
  }
}

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 4) {
    std::fprintf(stderr, "usage: memory_scripts_test INTERPRETER FIRST_SEED NUMBER\n");
    return 2;
  }
  rff::test::settings = {argv[1], std::strtoull(argv[2], nullptr, 0),
                         std::strtoull(argv[3], nullptr, 0)};
  return RUN_ALL_TESTS();
}
