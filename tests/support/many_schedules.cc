// many_schedules COUNT PROG [ARGS…]: runs COUNT schedules of random, POS and PCT each through the
// fork server. Prints the distinct outcomes and outputs with their counts, and how many of the
// repeated runs differed. It is a tool for examining the runtime.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/support/server.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: many_schedules COUNT PROG [ARGS...]\n");
    return 2;
  }
  std::uint64_t count = std::strtoull(argv[1], nullptr, 0);
  rff::test::Server server({argv + 2, argv + argc});
  std::map<std::string, std::uint64_t> seen;
  std::uint64_t unstable = 0;
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    for (auto kind :
         {rff::SchedulerKind::kRandom, rff::SchedulerKind::kPos, rff::SchedulerKind::kPct}) {
      rff::Schedule s = server.schedule(kind, seed);
      rff::test::RunResult r = server.run(s);
      std::string what = r.ended()   ? "ended"
                         : r.found() ? std::string(finding_name(r.run().finding))
                                     : "?";
      if (!r.ended()) {
        what += " " + r.message() + " status " + std::to_string(r.wait_status);
      }
      ++seen[what + " " + r.output];
      longest = std::max<std::uint64_t>(longest, r.run().events);
      std::uint64_t hash = r.run().trace_hash;
      std::vector<rff::Decision> decisions = r.decisions();
      if (seed % 4 == 0) {
        rff::test::RunResult again = server.run(s);
        unstable += again.run().trace_hash != hash || again.decisions() != decisions;
      }
      server.learn();
    }
  }
  for (const auto& [what, times] : seen) {
    std::printf("%6llu %s\n", static_cast<unsigned long long>(times), what.c_str());
  }
  std::printf("%llu unstable, at most %llu events\n", static_cast<unsigned long long>(unstable),
              static_cast<unsigned long long>(longest));
  return 0;
}
