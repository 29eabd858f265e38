// record_runs FIRST_SEED COUNT FRESH PROGRAM [ARGS…]: runs a program under COUNT seeds of every
// scheduler through the fork server, FRESH of them also in fresh processes, and prints one line per
// run with everything the run reported. Two builds behave the same if they print the same lines,
// which tests/identity/compare_trees compares.
//
// It uses as little of the code base as possible, so that it compiles in older trees.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "schedule/hash.h"
#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

constexpr const char* kSchedulers[] = {"rff",    "pos",    "pct",        "random",
                                       "window", "steady", "round-robin"};
// A hang is found after this many steps; the default limit would take seconds for each.
constexpr std::uint64_t kHangSteps = 4000;

// Computes the length of a list and a hash over its contents, in order.
class Digest {
 public:
  template <typename... Values>
  void add(Values... values) {
    ++count_;
    ((hash_ = hash_combine(hash_, static_cast<std::uint64_t>(values))), ...);
  }
  std::string text() const {
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, "%llu:%llx", static_cast<unsigned long long>(count_),
                  static_cast<unsigned long long>(hash_));
    return buffer;
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t hash_ = 0;
};

void print(const char* name, std::uint64_t value) {
  std::printf(" %s=%llx", name, static_cast<unsigned long long>(value));
}

// Objects of the runtime (threads, the object for all signals) have different addresses in
// different builds: they are numbered in the order in which a run uses them. All other addresses
// are kept.
class Addresses {
 public:
  explicit Addresses(const SharedMemory& shared) : shared_(shared) {}
  std::uint64_t stable(std::uint64_t address) {
    if (!is_runtime(address)) {
      return address;
    }
    return numbers_.try_emplace(address, numbers_.size() + 1).first->second;
  }

 private:
  bool is_runtime(std::uint64_t address) const {
    // These are the runtime's arenas: see libsched/support/places.h.
    constexpr std::uint64_t kFirst = 0x0e4008000000, kFirstEnd = 0x0e4010000000;
    constexpr std::uint64_t kMore = 0x100000000000, kMoreEnd = 0x200000000000;
    bool inside =
        (address >= kFirst && address < kFirstEnd) || (address >= kMore && address < kMoreEnd);
    for (const ModuleRecord& m : shared_.modules) {
      inside |= m.path.view().ends_with("/libsched.so") && address >= m.base && address < m.end;
    }
    return inside;
  }
  const SharedMemory& shared_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
};

void print_lists(const SharedMemory& shared) {
  const RunRecord& run = shared.run;
  Addresses addresses(shared);
  Digest decisions, events, pairs, steps, memory, points;
  for (const Decision& d : run.decisions) {
    decisions.add(d.thread, d.check.bits());
  }
  for (const AbstractEvent& e : run.event_list) {
    events.add(e.id());
  }
  for (const ReadsFromPair& p : run.pairs) {
    pairs.add(p.write, p.read);
  }
  for (const Step& s : run.steps) {
    steps.add(s.event, s.thread, s.check);
    memory.add(addresses.stable(s.address), s.value);
  }
  for (std::uint64_t point : shared.points) {
    points.add(point);
  }
  std::printf(" decisions=%s event_list=%s pairs=%s steps=%s memory=%s points=%s",
              decisions.text().c_str(), events.text().c_str(), pairs.text().c_str(),
              steps.text().c_str(), memory.text().c_str(), points.text().c_str());
}

// Prints "LABEL: name=value …". Messages are left out: their wording is not behavior.
void print_run(const std::string& label, const RunResult& r) {
  const RunRecord& run = r.run();
  std::printf("%s:", label.c_str());
  print("outcome", static_cast<std::uint64_t>(run.outcome.load()));
  print("status", static_cast<std::uint64_t>(r.wait_status));
  print("flags", run.flags);
  std::printf(" finding=%s", std::string(finding_name(run.finding)).c_str());
  print("place", run.place.packed());
  print("trace_hash", run.trace_hash);
  print("rf_combination", run.rf_combination);
  print("control_flow", run.control_flow);
  print("events", run.events);
  print("scheduling_points", run.scheduling_points);
  print("switches", run.switches);
  print("threads", run.threads);
  print("satisfied", run.satisfied);
  print("abandoned", run.abandoned);
  print("rejected", run.rejected);
  print("output", hash_bytes(r.output));
  print_lists(*r.shared);
  std::printf("\n");
}

std::vector<Decision> swapped(std::vector<Decision> decisions, Random& random) {
  if (decisions.size() >= 2) {
    std::size_t at = random.below(decisions.size() - 1);
    std::swap(decisions[at], decisions[at + 1]);
  }
  return decisions;
}

AbstractSchedule constraints_of(const RunRecord& run, Random& random) {
  AbstractSchedule wanted;
  std::uint32_t known = run.event_list.size();
  for (const ReadsFromPair& p : run.pairs) {
    if (wanted.size() < 8 && random.chance(1, 3) && p.write < known && p.read < known) {
      wanted.insert({run.event_list.items[p.write], run.event_list.items[p.read],
                     /*positive=*/random.chance(1, 2)});
    }
  }
  return wanted;
}

class Recording {
 public:
  Recording(std::vector<std::string> command, std::uint64_t fresh)
      : server_(command), runner_(command), fresh_(fresh) {}

  void seed(std::uint64_t seed) {
    for (const char* name : kSchedulers) {
      auto kind = scheduler_from_name(name);
      std::string label = std::string(name) + " seed " + std::to_string(seed);
      if (!kind) {
        std::printf("%s: there is no such scheduler\n", label.c_str());
        continue;
      }
      Schedule s = server_.schedule(*kind, seed);
      s.max_steps = kHangSteps;
      run(label, s);
    }
    variants(seed);
  }

 private:
  RunResult run(const std::string& label, const Schedule& s) {
    RunResult r = server_.run(s);
    print_run(label, r);
    server_.learn();
    if (fresh_ > 0) {
      --fresh_;
      print_run(label + " in a fresh process", runner_.run(s));
    }
    return r;
  }

  // Runs schedules with more than a scheduler and a seed; some take their parts from the first run.
  void variants(std::uint64_t seed) {
    Random random(seed);
    std::string label = " seed " + std::to_string(seed);
    Schedule first = server_.schedule(*scheduler_from_name("pos"), seed);
    first.max_steps = kHangSteps;
    first.points.every_access = true;
    RunResult r = run("every access a point," + label, first);
    std::vector<Decision> decisions = r.decisions();

    Schedule constrained = server_.schedule(*scheduler_from_name("rff"), seed);
    constrained.max_steps = kHangSteps;
    constrained.constraints = constraints_of(r.run(), random);
    run("constrained," + label, constrained);

    Schedule prefixed = first;
    prefixed.seed = seed + 1;
    prefixed.prefix.assign(decisions.begin(),
                           decisions.begin() + static_cast<std::ptrdiff_t>(decisions.size() / 2));
    run("prefixed," + label, prefixed);

    Schedule guided = first;
    guided.prefix = swapped(decisions, random);
    guided.guided = true;
    run("guided," + label, guided);

    Schedule impatient = server_.schedule(*scheduler_from_name("pos"), seed);
    impatient.max_steps = kHangSteps;
    impatient.timeouts = kAnyPreemption;
    impatient.exit_is_finding = true;
    run("timeouts at any point," + label, impatient);
  }

  Server server_;
  Runner runner_;
  std::uint64_t fresh_;
};

}  // namespace
}  // namespace rff::test

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: record_runs FIRST_SEED COUNT FRESH PROGRAM [ARGS...]\n");
    return 2;
  }
  std::uint64_t first = std::strtoull(argv[1], nullptr, 0);
  std::uint64_t count = std::strtoull(argv[2], nullptr, 0);
  try {
    rff::test::Recording recording({argv + 4, argv + argc}, std::strtoull(argv[3], nullptr, 0));
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      recording.seed(seed);
    }
  } catch (const std::exception& e) {
    std::printf("stopped: %s\n", e.what());
    return 1;
  }
  return 0;
}
