// trials [-k] [-s FILE] SCHEDULER FIRST_SEED LAST_SEED SCHEDULES PROG [ARGS…]: for every seed,
// searches until the first finding, on one fork server. Prints one JSON line per trial. -k:
// continues after findings, and prints how often each reads-from combination occurred. -s: with the
// stop points of a schedule file, as rff-fuzz writes it.
//
// It uses the same core and fork-server protocol as rff-fuzz, without AFL++ and the rest of a
// campaign, so that thousands of short searches can be compared.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <unordered_set>
#include <vector>

#include "fuzzer/common/selection_file.h"
#include "fuzzer/core/fuzz_core.h"
#include "libsched/process/fork_server.h"
#include "tests/support/server.h"

namespace {

using namespace rff;

// Stands in for afl-fuzz: tells whether the map of the last run contained new coverage.
class SeenCoverage {
 public:
  bool add(const unsigned char* map) {
    bool fresh = false;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (map[i] != 0 && !seen_[i]) {
        seen_[i] = true;
        fresh = true;
      }
    }
    return fresh;
  }

 private:
  std::vector<bool> seen_ = std::vector<bool>(kLargeMap);
};

// Finds runs of the systematic search that made the same choices as an earlier one. An exploration
// that begins anew, with other scheduling points or steps, makes runs of its own.
class Repetitions {
 public:
  void add(const Schedule& schedule, const RunSummary& run) {
    std::uint64_t order = hash_combine(
        schedule.points.shared_version,
        (schedule.exploration.every_primitive ? 1 : 0) | (schedule.exploration.loops_wait ? 2 : 0));
    for (const ConsideredAction& action : run.considered) {
      order = action.chosen() ? hash_combine(order, action.thread + 1) : order;
    }
    for (const WorldChoice& choice : run.world_choices) {
      order = hash_combine(order, choice.value);
    }
    count_ += seen_.insert(order).second ? 0 : 1;
  }
  std::uint64_t count() const { return count_; }

 private:
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t count_ = 0;
};

void trial(test::Server& server, const FuzzPlan& plan, std::uint64_t limit, bool keep_going) {
  SharedMemory& shared = server.shared();
  shared.points.clear();
  FuzzCore core(plan);
  SeenCoverage coverage;
  Repetitions repetitions;
  std::uint32_t points_known = 0;
  std::uint64_t number = 0;
  bool found = false;
  std::uint64_t points = 0;
  while ((!found || keep_going) && number < limit && !core.finished()) {
    Schedule schedule = core.next_schedule(shared.points.size());
    test::RunResult result = server.run(schedule);
    ++number;
    points += result.run().scheduling_points;
    core.add_points({shared.points.begin() + points_known, shared.points.size() - points_known});
    points_known = shared.points.size();
    RunSummary summary = summarize(result.run());
    summary.new_control_flow = !summary.failed() && coverage.add(server.map());
    core.report(schedule, summary);
    repetitions.add(schedule, summary);
    found |= summary.failed();
  }
  std::printf(
      "{\"seed\": %llu, \"found\": %s, \"schedules\": %llu, \"kind\": \"%s\", \"rf_pairs\": %zu, "
      "\"rf_combinations\": %zu, \"points\": %llu, \"by\": \"%s\"",
      static_cast<unsigned long long>(plan.seed), found ? "true" : "false",
      static_cast<unsigned long long>(number),
      found ? std::string(finding_name(shared.run.finding)).c_str() : "",
      core.pool().observed_pairs(), core.corpus().combinations(),
      static_cast<unsigned long long>(points / number),
      std::string(core.portfolio().proposer()).c_str());
  if (const ExplorationState* e = core.exploration()) {
    std::printf(
        ", \"finished\": %s, \"classes\": %llu, \"redundant\": %llu, \"reads_from_classes\": "
        "%llu, \"failing\": %llu, \"repeated\": %llu, \"reason\": \"%s\"",
        e->finished ? "true" : "false", static_cast<unsigned long long>(e->classes),
        static_cast<unsigned long long>(e->redundant),
        static_cast<unsigned long long>(e->reads_from_classes),
        static_cast<unsigned long long>(e->failing),
        static_cast<unsigned long long>(repetitions.count()), e->reason.c_str());
  }
  if (keep_going) {
    const char* separator = ", \"rf_combination_counts\": [";
    for (const auto& [combination, times] : core.corpus().seen()) {
      std::printf("%s%llu", separator, static_cast<unsigned long long>(times));
      separator = ", ";
    }
    std::printf("]");
  }
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bool keep_going = argc > 1 && std::string_view(argv[1]) == "-k";
  if (keep_going) {
    --argc;
    ++argv;
  }
  std::vector<StopRule> stops;
  if (argc > 2 && std::string_view(argv[1]) == "-s") {
    std::ifstream file(argv[2], std::ios::binary);
    DecodeResult chosen = decode_schedule(std::string(std::istreambuf_iterator<char>(file), {}));
    if (!chosen.schedule) {
      std::fprintf(stderr, "trials: %s %s\n", argv[2], chosen.error.c_str());
      return 2;
    }
    stops = chosen.schedule->points.stops;
    argc -= 2;
    argv += 2;
  }
  bool paper = argc > 1 && std::string_view(argv[1]) == "paper";
  std::optional<SearchChoice> search = parse_search(paper || argc < 2 ? "rff" : argv[1]).choice;
  if (argc < 6 || !search) {
    std::fprintf(
        stderr,
        "usage: trials [-k] [-s FILE] SCHEDULER FIRST_SEED LAST_SEED SCHEDULES PROG [ARGS...]\n");
    return 2;
  }
  test::Server server({argv + 5, argv + argc});
  for (std::uint64_t seed = std::strtoull(argv[2], nullptr, 0);
       seed <= std::strtoull(argv[3], nullptr, 0); ++seed) {
    FuzzPlan plan;
    plan.seed = seed;
    plan.search = *search;
    plan.search.paper = paper;
    plan.selection = selection_of(*search);
    plan.stops = stops;
    trial(server, plan, std::strtoull(argv[4], nullptr, 0), keep_going);
  }
  return 0;
}
