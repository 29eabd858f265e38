// rate SCHEDULER SECONDS PROG [ARGS…]: how many schedules a second one fork server runs, and how
// many bare forks of the same process: children that are given an empty test case and leave at
// once. The two are measured in short turns, on one processor, and of each the best tenth of its
// turns counts: what else the machine does disturbs both alike, or neither. The program's
// scheduling points are learned before, as in a campaign. Prints one JSON line.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/server.h"

namespace {

using namespace rff;

constexpr int kLeastTurns = 3;

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

// One of the two things that are measured. `run` is called with 0, 1, 2, …: never the same test
// case twice in a row.
class Side {
 public:
  Side(test::Server& server, std::function<void(std::uint64_t)> run)
      : server_(server), run_(std::move(run)) {
    for (; runs_ < kWarmUp; ++runs_) {
      run_(runs_);
    }
  }

  void take_a_turn() {
    std::uint64_t before = faults_of_children(server_.process());
    auto start = std::chrono::steady_clock::now();
    double elapsed = 0;
    std::uint64_t done = 0;
    while (elapsed < kTurn) {
      run_(runs_ + done++);
      elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    runs_ += done;
    seconds_.push_back(elapsed / static_cast<double>(done));
    faults_ += faults_of_children(server_.process()) - before;
  }

  double per_second() {
    auto tenth = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 10);
    std::nth_element(seconds_.begin(), tenth, seconds_.end());
    return 1 / *tenth;
  }
  double faults() const {
    return static_cast<double>(faults_) / static_cast<double>(runs_ - kWarmUp);
  }

 private:
  static constexpr std::uint64_t kWarmUp = 20;
  static constexpr double kTurn = 0.02;

  test::Server& server_;
  std::function<void(std::uint64_t)> run_;
  std::uint64_t runs_ = 0;
  std::uint64_t faults_ = 0;
  std::vector<double> seconds_;  // a run took, in each turn
};

// The processor that this runs on now, for this and all that it starts.
void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<SchedulerKind> kind;
  if (argc < 4 || !(kind = scheduler_from_name(argv[1]))) {
    std::fprintf(stderr, "usage: rate SCHEDULER SECONDS PROG [ARGS...]\n");
    return 2;
  }
  double seconds = std::atof(argv[2]);
  stay_on_one_processor();
  test::Server server(std::vector<std::string>(argv + 3, argv + argc));
  std::uint64_t events = 0;
  std::uint64_t points = 0;
  Side schedules(server, [&](std::uint64_t seed) {
    Schedule schedule;
    schedule.scheduler = *kind;
    schedule.seed = seed;
    schedule.points.listed = false;
    schedule.points.shared_version = server.shared().points.size();
    const RunRecord& run = server.run(schedule).run();
    events = run.events;
    points = run.scheduling_points;
  });
  Side forks(server, [&](std::uint64_t) { server.run(std::string()); });
  auto start = std::chrono::steady_clock::now();
  for (int turns = 0; turns < kLeastTurns || std::chrono::steady_clock::now() - start <
                                                 std::chrono::duration<double>(seconds);
       ++turns) {
    schedules.take_a_turn();
    forks.take_a_turn();
  }
  std::printf(
      "{\"bare_forks_per_second\": %.1f, \"schedules_per_second\": %.1f, \"bare_faults\": %.1f, "
      "\"faults\": %.1f, \"events\": %llu, \"points\": %llu}\n",
      forks.per_second(), schedules.per_second(), forks.faults(), schedules.faults(),
      static_cast<unsigned long long>(events), static_cast<unsigned long long>(points));
}
