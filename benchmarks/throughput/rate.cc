// rate SCHEDULER SECONDS PROG [ARGS…]: how many schedules a second one fork server runs, and how
// many bare forks of the same process: children that are given no schedule and leave at once. The
// program's scheduling points are learned before, as in a campaign. Prints one JSON line.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/server.h"

namespace {

using namespace rff;

constexpr std::uint64_t kWarmUp = 20;
constexpr std::uint64_t kLeastRuns = 3;

// Minor page faults of all children so far (0 where an emulator's own memory hides them).
std::uint64_t faults_of_children(pid_t server) {
  std::ifstream file("/proc/" + std::to_string(server) + "/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string field;
  for (int i = 0; i < 9; ++i) {
    fields >> field;
  }
  return std::strtoull(field.c_str(), nullptr, 10);
}

struct Rate {
  double per_second;
  double faults;
};

// `run` is called with 0, 1, 2, …: never the same test case twice in a row.
Rate measure(test::Server& server, double seconds, const std::function<void(std::uint64_t)>& run) {
  for (std::uint64_t i = 0; i < kWarmUp; ++i) {
    run(i);
  }
  std::uint64_t before = faults_of_children(server.process());
  auto start = std::chrono::steady_clock::now();
  std::uint64_t runs = 0;
  double elapsed = 0;
  while (elapsed < seconds || runs < kLeastRuns) {
    run(kWarmUp + runs++);
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::uint64_t faults = faults_of_children(server.process()) - before;
  double n = static_cast<double>(runs);
  return {n / elapsed, static_cast<double>(faults) / n};
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<SchedulerKind> kind;
  if (argc < 4 || !(kind = scheduler_from_name(argv[1]))) {
    std::fprintf(stderr, "usage: rate SCHEDULER SECONDS PROG [ARGS...]\n");
    return 2;
  }
  double seconds = std::atof(argv[2]);
  test::Server server(std::vector<std::string>(argv + 3, argv + argc));
  std::uint64_t events = 0;
  std::uint64_t points = 0;
  Rate schedules = measure(server, seconds, [&](std::uint64_t seed) {
    Schedule schedule;
    schedule.scheduler = *kind;
    schedule.seed = seed;
    schedule.points.listed = false;
    schedule.points.shared_version = server.shared().points.size();
    const RunRecord& run = server.run(schedule).run();
    events = run.events;
    points = run.scheduling_points;
  });
  Rate forks = measure(server, seconds, [&](std::uint64_t number) {
    server.run("no schedule " + std::to_string(number));
  });
  std::printf(
      "{\"bare_forks_per_second\": %.1f, \"schedules_per_second\": %.1f, \"bare_faults\": %.1f, "
      "\"faults\": %.1f, \"events\": %llu, \"points\": %llu}\n",
      forks.per_second, schedules.per_second, forks.faults, schedules.faults,
      static_cast<unsigned long long>(events), static_cast<unsigned long long>(points));
}
