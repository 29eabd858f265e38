// same_runs COUNT PROG [ARGS…]: makes the same COUNT runs of random, POS and PCT each in children
// of the fork server and in place, tracking writes and copying, and then the first ones again in
// the opposite order. Prints the first runs that differ, and how many runs ended in place. Runs
// that differ between two fork servers depend on something outside, and do not count. Exit status
// 1: some differ.
#include "tests/support/same_runs.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/support/server.h"

namespace {

using namespace rff;
using namespace rff::test;

constexpr SchedulerKind kKinds[] = {SchedulerKind::kRandom, SchedulerKind::kPos,
                                    SchedulerKind::kPct};

constexpr std::size_t kControl = 1;  // forks, as the first one

struct Way {
  const char* name;
  std::unique_ptr<Server> server;
  std::uint64_t differences = 0;
};

std::string run(Way& way, SchedulerKind kind, std::uint64_t seed) {
  std::string facts = facts_of(way.server->run(way.server->schedule(kind, seed)));
  way.server->learn();
  return facts;
}

void compare(std::vector<Way>& ways, SchedulerKind kind, std::uint64_t seed) {
  std::string expected = run(ways.front(), kind, seed);
  if ((ways.front().server->shared().run.flags & kTouchedOutside) != 0) {
    return;  // what came from outside need not come again
  }
  for (std::size_t i = 1; i < ways.size(); ++i) {
    std::string facts = run(ways[i], kind, seed);
    if (facts != expected && i == kControl) {
      ++ways[i].differences;
      return;  // of the program itself: what comes from outside
    }
    if (facts != expected && ways[i].differences++ < 3) {
      std::printf("seed %llu\n  off: %s\n  %s: %s\n", static_cast<unsigned long long>(seed),
                  expected.c_str(), ways[i].name, facts.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: same_runs COUNT PROG [ARGS...]\n");
    return 2;
  }
  std::uint64_t count = std::strtoull(argv[1], nullptr, 0);
  std::vector<Way> ways;
  for (const char* name : {"off", "off", "uffd,check", "copy"}) {
    setenv(kSnapshotVariable, name, 1);
    ways.push_back(
        {name, std::make_unique<Server>(std::vector<std::string>(argv + 2, argv + argc), false)});
  }
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    for (SchedulerKind kind : kKinds) {
      compare(ways, kind, seed);
    }
  }
  for (std::uint64_t seed = std::min<std::uint64_t>(count, 20); seed > 0; --seed) {
    compare(ways, SchedulerKind::kPos, seed);
  }
  bool same = true;
  if (ways[kControl].differences > 0) {
    std::printf("%llu runs differ by themselves\n",
                static_cast<unsigned long long>(ways[kControl].differences));
  }
  for (std::size_t i = kControl + 1; i < ways.size(); ++i) {
    SharedMemory& shared = ways[i].server->shared();
    auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf("%s (%s): %llu runs, %llu in place, %llu retired, %llu differ;", ways[i].name,
                std::string(shared.snapshot.view()).c_str(), number(shared.forks),
                number(shared.in_place), number(shared.retired), number(ways[i].differences));
    for (const Retirements& r : shared.retirements) {
      std::printf(" call %d: %u", r.call, r.count);
    }
    std::printf("\n");
    same = same && ways[i].differences == 0;
  }
  return same ? 0 : 1;
}
