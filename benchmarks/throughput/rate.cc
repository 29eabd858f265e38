// rate SCHEDULER[,SCHEDULER…] SECONDS PROG [ARGS…]: measures how many schedules per second one fork
// server runs, and how many bare forks of the same process: children that get an empty test case
// and exit at once. Where runs are made in place (RFF_SNAPSHOT) it also measures the same schedules
// in children of a second server. All are measured in short turns, on one processor, and for each
// the tenth percentile of its turns counts, so that other load on the machine affects all alike, or
// none. The program's scheduling points are learned first, as in a campaign. Prints one JSON line
// per scheduler.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/server.h"

namespace {

using namespace rff;

constexpr int kLeastTurns = 3;

// Returns the minor page faults of all children so far (0 if an emulator's own memory hides them).
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

// One measured series: bare forks, or schedules of one scheduler. `run` is called with 0, 1, 2, …,
// so that no test case comes twice in a row.
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
  std::vector<double> seconds_;  // per run, in each turn
};

// Measures runs of the program under one scheduler.
class Schedules {
 public:
  Schedules(test::Server& server, SchedulerKind kind)
      : kind_(kind), side_(server, [this, &server](std::uint64_t seed) { run(server, seed); }) {}

  void take_a_turn() { side_.take_a_turn(); }
  double per_second() { return side_.per_second(); }
  // `forked`: the same schedules in children.
  void print(Side& forks, Schedules& forked, const SharedMemory& shared) {
    std::printf(
        "{\"way\": \"%s\", \"in_place\": %llu, \"retired\": %llu, \"forked_per_second\": %.1f, ",
        std::string(shared.snapshot.view()).c_str(),
        static_cast<unsigned long long>(shared.in_place),
        static_cast<unsigned long long>(shared.retired), forked.per_second());
    std::printf(
        "\"bare_forks_per_second\": %.1f, \"schedules_per_second\": %.1f, \"bare_faults\": %.1f, "
        "\"faults\": %.1f, \"events\": %llu, \"points\": %llu, \"switches\": %llu}\n",
        forks.per_second(), side_.per_second(), forks.faults(), side_.faults(), events_, points_,
        switches_);
  }

 private:
  void run(test::Server& server, std::uint64_t seed) {
    Schedule schedule;
    schedule.scheduler = kind_;
    schedule.seed = seed;
    schedule.points.racing = true;
    schedule.points.listed = false;
    schedule.points.shared_version = server.shared().points.size();
    const auto result = server.run(schedule);
    const RunRecord& run = result.run();
    events_ = run.events;
    points_ = run.scheduling_points;
    switches_ = run.switches;
  }

  SchedulerKind kind_;
  unsigned long long events_ = 0;  // events of the last run
  unsigned long long points_ = 0;
  unsigned long long switches_ = 0;
  Side side_;
};

// Pins this process and all that it starts to the current processor.
void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

std::vector<SchedulerKind> schedulers_from(const std::string& names) {
  std::vector<SchedulerKind> kinds;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    if (auto kind = scheduler_from_name(name)) {
      kinds.push_back(*kind);
    } else {
      return {};
    }
  }
  return kinds;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<SchedulerKind> kinds;
  if (argc < 4 || (kinds = schedulers_from(argv[1])).empty()) {
    std::fprintf(stderr, "usage: rate SCHEDULER[,SCHEDULER...] SECONDS PROG [ARGS...]\n");
    return 2;
  }
  double seconds = std::atof(argv[2]);
  stay_on_one_processor();
  std::vector<std::string> command(argv + 3, argv + argc);
  test::Server server(command, false);
  const char* way = std::getenv(kSnapshotVariable);
  bool in_place = way == nullptr || std::string_view(way) != "off";
  setenv(kSnapshotVariable, "off", 1);
  test::Server forking(command, false);
  std::vector<std::unique_ptr<Schedules>> schedules, forked;
  for (SchedulerKind kind : kinds) {
    schedules.push_back(std::make_unique<Schedules>(in_place ? server : forking, kind));
    if (in_place) {
      forked.push_back(std::make_unique<Schedules>(forking, kind));
    }
  }
  Side forks(forking, [&](std::uint64_t) { forking.run(std::string()); });
  auto start = std::chrono::steady_clock::now();
  for (int turns = 0; turns < kLeastTurns || std::chrono::steady_clock::now() - start <
                                                 std::chrono::duration<double>(seconds);
       ++turns) {
    for (auto& s : schedules) {
      s->take_a_turn();
    }
    for (auto& s : forked) {
      s->take_a_turn();
    }
    forks.take_a_turn();
  }
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    schedules[i]->print(forks, in_place ? *forked[i] : *schedules[i], server.shared());
  }
}
