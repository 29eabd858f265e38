// try_schedules SCHEDULER FIRST_SEED COUNT PROG [ARGS…]: runs a program under many seeds. Prints
// one line per run that is not normal, and a summary. It is a tool for examining the runtime
// without the fuzzer.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/support/runner.h"

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: try_schedules SCHEDULER FIRST_SEED COUNT PROG [ARGS...]\n");
    return 2;
  }
  auto kind = rff::scheduler_from_name(argv[1]);
  if (!kind) {
    std::fprintf(stderr, "try_schedules: unknown scheduler %s\n", argv[1]);
    return 2;
  }
  std::uint64_t first = std::strtoull(argv[2], nullptr, 0);
  std::uint64_t count = std::strtoull(argv[3], nullptr, 0);
  rff::test::Runner runner({argv + 4, argv + argc});
  std::set<std::uint64_t> combinations;
  std::uint64_t found = 0;
  std::uint64_t unstable = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    rff::Schedule s = runner.schedule(*kind, seed);
    rff::test::RunResult r = runner.run(s);
    combinations.insert(r.run().rf_combination);
    if (!r.ended()) {
      ++found;
      std::printf(
          "seed %llu: outcome %u, %s: %s (status 0x%x)\n", static_cast<unsigned long long>(seed),
          static_cast<unsigned>(r.run().outcome.load()),
          std::string(finding_name(r.run().finding)).c_str(), r.message().c_str(), r.wait_status);
    }
    // Repeats the same schedule or the recorded decisions, alternately, each on both carriers.
    setenv(rff::kCarrierVariable, (seed / 2) % 2 == 0 ? "thread" : "auto", 1);
    rff::test::RunResult again = runner.run(seed % 2 == 0 ? s : runner.replay(s, r));
    setenv(rff::kCarrierVariable, "auto", 1);
    if (again.run().trace_hash != r.run().trace_hash || again.decisions() != r.decisions() ||
        again.run().outcome != r.run().outcome) {
      ++unstable;
      std::printf("seed %llu: not the same run again: %s (%zu and %zu decisions)\n",
                  static_cast<unsigned long long>(seed), again.message().c_str(),
                  r.decisions().size(), again.decisions().size());
    }
    runner.learn(r);
    if (seed == first || seed + 1 == first + count) {
      std::printf("seed %llu: %llu events, %llu points, %llu switches, %u threads, %u learned\n",
                  static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(r.run().events),
                  static_cast<unsigned long long>(r.run().scheduling_points),
                  static_cast<unsigned long long>(r.run().switches), r.run().threads,
                  r.shared->points.size());
    }
  }
  std::printf("%llu of %llu runs not normal, %zu combinations, %llu unstable\n",
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(count),
              combinations.size(), static_cast<unsigned long long>(unstable));
  return 0;
}
