// joined_runs COUNT PROGRAM…: makes the same COUNT runs of random and POS of each patched program
// four times: with checks of groups and without, and traced in both ways. Prints the first runs
// that differ in hash, steps, decisions or outcome. Exit status 1: some differ.
#include <cstdio>
#include <cstdlib>

#include "schedule/shared_memory.h"
#include "tests/support/same_runs.h"

namespace {

using namespace rff;
using namespace rff::test;
using Tracing = rff::Runner::Tracing;

struct Way {
  const char* name;
  bool joined;
  Tracing tracing;
};
constexpr Way kWays[] = {{"not joined", false, Tracing::kNone},
                         {"not joined again", false, Tracing::kNone},
                         {"joined", true, Tracing::kNone},
                         {"traced", true, Tracing::kShared},
                         {"everything traced", true, Tracing::kEverything}};
constexpr std::size_t kControl = 1;

std::string run(test::Runner& runner, const Way& way, SchedulerKind kind, std::uint64_t seed) {
  if (way.joined) {
    unsetenv(kJoinVariable);
  } else {
    setenv(kJoinVariable, "off", 1);
  }
  runner.trace(way.tracing);
  RunResult r = runner.run(runner.schedule(kind, seed));
  runner.learn(r);
  return "steps " + std::to_string(r.run().events) + " " + facts_of(r);
}

// Returns the number of ways that differ.
int compare(const char* program, std::uint64_t count) {
  std::vector<std::string> expected;
  int differing = 0;
  for (std::size_t w = 0; w < std::size(kWays); ++w) {
    test::Runner runner({program});
    std::size_t next = 0;
    for (SchedulerKind kind : {SchedulerKind::kRandom, SchedulerKind::kPos}) {
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        std::string facts = run(runner, kWays[w], kind, seed);
        if (w == 0) {
          expected.push_back(facts);
        } else if (facts != expected[next++]) {
          std::printf("%s seed %llu\n  %s: %.300s\n  %s: %.300s\n", program,
                      static_cast<unsigned long long>(seed), kWays[0].name,
                      expected[next - 1].c_str(), kWays[w].name, facts.c_str());
          if (w == kControl) {
            std::printf("  depends on something outside\n");
            return 0;
          }
          ++differing;
          goto next_way;
        }
      }
    }
  next_way:;
  }
  return differing;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: joined_runs COUNT PROGRAM...\n");
    return 2;
  }
  auto count = static_cast<std::uint64_t>(std::atoll(argv[1]));
  int differing = 0;
  for (int i = 2; i < argc; ++i) {
    differing += compare(argv[i], count);
    std::fflush(stdout);
  }
  std::printf("%d programs, %d ways differ\n", argc - 2, differing);
  return differing != 0 ? 1 : 0;
}
