// Tests what must hold over many runs of a program, whatever the load of the machine.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>

#include "libsched/process/fork_server.h"
#include "tests/support/runner.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

std::string patched(const std::string& name) {
  return std::string(RFF_PROGRAMS) + "/program_" + name + ".patched";
}

// The set of names of events does not grow with the number of schedules: the first quarter shows
// all names that the rest shows, and every run shows the threads' own blocks under the same names.
TEST(Names, AreTheSameOverAThousandSchedules) {
  Server server({patched("pass_malloc_names_that_stay")});
  std::set<std::string> places;  // name of every heap block, stack, mapping and thread used
  std::size_t after_some = 0;
  constexpr std::uint64_t kSchedules = 1000;
  for (std::uint64_t i = 0; i < kSchedules; ++i) {
    SchedulerKind kind = i % 2 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
    RunResult r = server.run(server.schedule(kind, i + 1));
    ASSERT_TRUE(r.ended()) << r.message();
    for (const AbstractEvent& e : r.run().event_list) {
      // These are the parts of a name: none may contain an address.
      if ((e.reads() || e.writes()) && e.place != LocationKind::kGlobal) {
        places.insert(std::to_string(static_cast<int>(e.place)) + " " + std::to_string(e.base) +
                      " " + std::to_string(e.offset));
      }
      ASSERT_FALSE((e.reads() || e.writes()) && e.place == LocationKind::kMapping &&
                   e.base == ~std::uint64_t{0})
          << "memory without a name: " << describe(e);
    }
    server.learn();
    if (i == kSchedules / 4) {
      after_some = places.size();
    }
  }
  EXPECT_GE(after_some, 5u);
  EXPECT_EQ(places.size(), after_some);
}

class Busy {
 public:
  Busy() {
    for (pid_t& child : children_) {
      child = fork();
      if (child == 0) {
        for (volatile unsigned long n = 0;;) {
          n = n + 1;
        }
      }
    }
  }
  ~Busy() {
    for (pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

 private:
  pid_t children_[3];
};

using Trace = std::tuple<std::uint64_t, std::uint64_t, std::vector<Decision>, std::string>;

using Tracing = rff::Runner::Tracing;

std::vector<Trace> traces(const std::string& program, Tracing tracing = Tracing::kNone) {
  Runner runner({program});
  runner.trace(tracing);
  std::vector<Trace> all;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RunResult r = runner.run(runner.schedule(SchedulerKind::kPos, seed));
    runner.learn(r);
    all.emplace_back(r.run().trace_hash, r.run().events, r.decisions(), r.output);
  }
  return all;
}

class WholeTrace : public testing::TestWithParam<const char*> {};

// The launcher inherits this test's setting of address randomization.
TEST_P(WholeTrace, IsTheSameWithAddressRandomisationOnAndOffAndUnderLoad) {
  std::string program = patched(GetParam());
  std::vector<Trace> first = traces(program);
  int old = personality(0xffffffff);
  personality(static_cast<unsigned long>(old) ^ ADDR_NO_RANDOMIZE);
  EXPECT_EQ(traces(program), first) << "with the other setting of address randomization";
  personality(static_cast<unsigned long>(old));
  Busy busy;
  EXPECT_EQ(traces(program), first) << "on a busy machine";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, WholeTrace,
    testing::Values("pass_world_everything_random", "pass_memory_leftovers_of_accesses",
                    "pass_memory_leftovers_of_private_accesses", "pass_memory_leftovers",
                    "pass_world_uninitialised_memory", "pass_malloc_names_that_stay",
                    "pass_cpp_async_and_promise", "pass_time_sleep_lasts",
                    "pass_outside_children_that_work", "fail_mutex_opposite_order"));

class WatchedTrace : public testing::TestWithParam<const char*> {};

// The bytes that the runtime leaves on the program's stacks must not tell that a run is watched.
TEST_P(WatchedTrace, IsThatOfAnyRun) {
  std::string program = patched(GetParam());
  std::vector<Trace> first = traces(program);
  EXPECT_EQ(traces(program, Tracing::kShared), first);
  EXPECT_EQ(traces(program, Tracing::kEverything), first);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, WatchedTrace,
    testing::Values("pass_memory_leftovers", "pass_memory_leftovers_of_accesses",
                    "pass_memory_leftovers_of_private_accesses", "pass_world_everything_random",
                    "pass_cpp_async_and_promise", "pass_streams_floating_point",
                    "pass_world_uninitialised_memory", "pass_malloc_names_that_stay"));

class JoinedTrace : public testing::TestWithParam<const char*> {};

// Accesses that patched code checks in groups count as if each had called its hook.
TEST_P(JoinedTrace, IsThatOfSingleAccesses) {
  std::string program = patched(GetParam());
  std::vector<Trace> joined = traces(program);
  setenv(kJoinVariable, "off", 1);
  EXPECT_EQ(traces(program), joined);
  unsetenv(kJoinVariable);
  EXPECT_EQ(traces(program, Tracing::kShared), joined);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, JoinedTrace,
    testing::Values("pass_memory_joined_accesses", "fail_memory_fault_among_accesses",
                    "fail_memory_fault_ends_group", "pass_memory_unreadable_after_write",
                    "pass_memory_leftovers", "pass_memory_leftovers_of_accesses",
                    "pass_world_uninitialised_memory", "fail_memory_two_halves",
                    "fail_memory_plain_increment", "pass_streams_floating_point",
                    "pass_memory_faults_handled", "pass_memory_leftovers_of_private_accesses"));

// Each round brings the timer one step, and each of its threads, of which there may be thousands.
TEST(RoundRobin, EndsWithATimerThatStartsThreads) {
  Runner runner({patched("pass_time_threads_of_timer")});
  Schedule schedule = runner.schedule(SchedulerKind::kRoundRobin, 1);
  schedule.points.every_access = true;
  schedule.timeouts = 5'000'000;
  RunResult r = runner.run(schedule);
  EXPECT_TRUE(r.ended()) << r.message();
}

// Instructions of the program, too, tell on which processor it runs.
TEST(AnyProcessor, GivesTheSameTrace) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  std::string program = patched("pass_world_everything_random");
  std::vector<Trace> first = traces(program);
  for (int cpu = 0, tried = 0; cpu < CPU_SETSIZE && tried < 4; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) {
      continue;
    }
    ++tried;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(traces(program), first) << "on processor " << cpu;
  }
  sched_setaffinity(0, sizeof all, &all);
}

// Calls `f` in a process whose children get the numbers it asks for, as in a container. Returns the
// exit status, or kNoNamespace if no namespace can be created here.
constexpr int kNoNamespace = 77;
template <typename F>
int in_namespace(F f) {
  auto status_of = [](pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  };
  pid_t outside = fork();
  if (outside == 0) {
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
      _exit(kNoNamespace);
    }
    pid_t first = fork();
    if (first == 0) {
      _exit(f());
    }
    _exit(status_of(first));
  }
  return status_of(outside);
}

// The C library's thread descriptor holds the kernel's number of a thread; other fields may hold
// the same value by chance: flags a small one, an address one like 0x7fff in its upper half.
TEST(AnyProcessNumber, GivesTheSameTrace) {
  std::string program = patched("pass_mutex_counter");
  for (const char* carrier : {"fiber", "thread"}) {
    setenv(kCarrierVariable, carrier, 1);
    std::vector<Trace> expected = traces(program);
    int status = in_namespace([&] {
      for (pid_t number : {2, 8, 16, 32, 0xdfd, 0x7ffa, 0x7ffc, 0x7ffe}) {
        std::ofstream last("/proc/sys/kernel/ns_last_pid");
        last << number - 1 << std::flush;
        if (!last) {
          return kNoNamespace;
        }
        if (traces(program) != expected) {
          std::fprintf(stderr, "differs in process %d\n", number);
          return 1;
        }
      }
      return 0;
    });
    if (status == kNoNamespace) {
      unsetenv(kCarrierVariable);
      GTEST_SKIP() << "no namespace of processes for us";
    }
    EXPECT_EQ(status, 0) << carrier;
  }
  unsetenv(kCarrierVariable);
}

// A thread that spins is chosen only when no other can run: otherwise a scheduler with priorities
// would let it run until fairness intervenes.
TEST(SpinningThreads, MakeWay) {
  Server server({patched("pass_spin-loops_wait_for_flag")});
  // The events of a thread before it is known to spin, if nothing is known of the program yet.
  constexpr std::uint64_t kFewEvents = 100'000;
  constexpr std::uint64_t kVeryFewEvents = 1000;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (SchedulerKind kind : {SchedulerKind::kPct, SchedulerKind::kPos, SchedulerKind::kRandom}) {
      RunResult r = server.run(server.schedule(kind, seed));
      ASSERT_TRUE(r.ended()) << r.message();
      ASSERT_LT(r.run().events, seed == 1 ? kFewEvents : kVeryFewEvents)
          << scheduler_name(kind) << " with seed " << seed;
      server.learn();
    }
  }
}

// The program's own code then runs inside the runtime's, when a thread is created.
TEST(PatchedCode, MayWrapTheAllocator) {
  for (const char* carrier : {"fiber", "thread"}) {
    setenv(kCarrierVariable, carrier, 1);
    Server server({std::string(RFF_PROGRAMS) + "/wrapped_allocator.patched"});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Schedule s = server.schedule(SchedulerKind::kPos, seed);
      RunResult r = server.run(s);
      EXPECT_TRUE(r.ended()) << carrier << ": " << r.message();
      std::uint64_t hash = r.run().trace_hash;
      EXPECT_EQ(server.run(s).run().trace_hash, hash) << carrier;
      server.learn();
    }
  }
  unsetenv(kCarrierVariable);
}

TEST(PatchedCode, ThatRunsAfterTheEndIsNoPartOfTheRun) {
  std::string program = patched("pass_streams_written_after_the_end");
  Server server({program});
  Server quiet({program, "quiet"});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
    ASSERT_TRUE(r.ended()) << r.message();
    std::vector<Decision> decisions = r.decisions();
    EXPECT_EQ(quiet.run(quiet.schedule(SchedulerKind::kPos, seed)).decisions(), decisions);
  }
}

// Over many schedules a flag is read from its initial value and from each of its writes, and never
// from a write to another place.
TEST(ReadsFrom, PairsNameTheLastWriter) {
  Server server({std::string(RFF_PROGRAMS) + "/litmus_message_passing.patched"});
  std::set<OpKind> sources;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
    ASSERT_TRUE(r.ended()) << r.message();
    for (const ReadsFromPair& pair : r.run().pairs) {
      const AbstractEvent& write = r.run().event_list.items[pair.write];
      const AbstractEvent& read = r.run().event_list.items[pair.read];
      ASSERT_TRUE(same_location(write, read)) << describe(write) << " " << describe(read);
      // Once the scheduling points are known, all of these accesses are events of shared memory.
      if (seed > 20 && read.op == OpKind::kRead) {
        sources.insert(write.op);
      }
    }
    server.learn();
  }
  EXPECT_EQ(sources, (std::set<OpKind>{OpKind::kInit, OpKind::kWrite}));
}

// An instruction that reads and writes uses exactly the value that it is reported to have read.
TEST(ReadsFrom, NoThreadRunsBetweenTheReadAndTheWriteOfOneInstruction) {
  Server server({patched("pass_instructions_copies_at_once")});
  std::set<std::string> copies;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RunResult r = server.run(server.schedule(SchedulerKind::kPos, seed));
    ASSERT_TRUE(r.ended()) << r.message();
    copies.insert(r.output);
    for (const Step& step : r.run().steps) {
      constexpr std::uint16_t kCopier = 1;
      if (step.thread == kCopier && r.run().event_list.items[step.event].op == OpKind::kRead) {
        ASSERT_EQ(std::to_string(step.value), r.output) << "seed " << seed;
      }
    }
    server.learn();
  }
  EXPECT_EQ(copies.size(), 2u);
}

TEST(ForkServer, AnswersOnlyTheSameTestCaseFromItsCache) {
  Server server({patched("pass_mutex_counter")});
  Schedule one = server.schedule(SchedulerKind::kRandom, 1);
  Schedule other = server.schedule(SchedulerKind::kRandom, 2);
  RunResult r = server.run(one);
  r.shared->cache_disabled.store(0);
  std::uint64_t forks = r.shared->forks;
  std::uint64_t hash = r.run().trace_hash;
  auto places = [&] { return std::count(server.map(), server.map() + kLargeMap, 1); };
  auto touched = places();
  EXPECT_GT(touched, 0);  // the server fills in the places that the child reported
  server.run(one);
  EXPECT_EQ(places(), touched);
  EXPECT_EQ(r.shared->forks, forks);
  EXPECT_EQ(r.shared->cache_hits, 1u);
  server.run(other);
  EXPECT_EQ(r.shared->forks, forks + 1);
  EXPECT_NE(r.run().trace_hash, hash);
  server.run(one);
  EXPECT_EQ(r.shared->forks, forks + 2);
  EXPECT_EQ(r.run().trace_hash, hash);
}

// The server's children need no page faults to reach the runtime's code.
TEST(ForkServer, HasTheCodeOfTheRuntimeInOneHugePage) {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string enabled(std::istreambuf_iterator<char>(setting), {});
  if (enabled.find("[always]") == std::string::npos &&
      enabled.find("[madvise]") == std::string::npos) {
    GTEST_SKIP() << "the kernel has no huge pages for us";
  }
  Server server({patched("pass_mutex_counter")});
  server.run(server.schedule(SchedulerKind::kPos, 1));
  std::ifstream maps("/proc/" + std::to_string(server.process()) + "/smaps");
  std::string line;
  bool code = false;
  bool found = false;
  while (std::getline(maps, line)) {
    bool begins_mapping = line.find('-') < line.find(' ');
    code = begins_mapping ? line.find(" r-xp ") != std::string::npos : code;
    found |=
        code && line.starts_with("AnonHugePages:") && line.find(" 2048 kB") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

// The server sets all known scheduling points before it forks; schedules may be older, or contain
// their own list.
TEST(ForkServer, GivesEveryScheduleThePointsItAsksFor) {
  std::string program = std::string(RFF_PROGRAMS) + "/litmus_message_passing.patched";
  Server server({program});
  Runner runner({program});
  SharedMemory& shared = server.shared();
  Schedule schedule = server.schedule(SchedulerKind::kPos, 1);
  auto run_with = [&](std::uint32_t points) {
    schedule.points.listed = false;
    schedule.points.shared_version = points;
    return server.run(schedule).run().trace_hash;
  };
  std::uint64_t without = run_with(0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    server.run(server.schedule(SchedulerKind::kPos, seed));
    server.learn();
  }
  std::uint32_t known = shared.points.size();
  ASSERT_GT(known, 1u);
  EXPECT_EQ(run_with(0), without);
  EXPECT_NE(run_with(known), without);
  for (std::uint32_t points = 0; points <= known; ++points) {
    std::uint64_t hash = run_with(points);
    schedule.points.listed = true;
    schedule.points.sites.clear();
    for (std::uint32_t i = 0; i < points; ++i) {
      schedule.points.sites.push_back(PointName::unpack(shared.points.items[i]).site);
    }
    EXPECT_EQ(server.run(schedule).run().trace_hash, hash) << points << " points";
    EXPECT_EQ(runner.run(schedule).run().trace_hash, hash) << points << " points";
  }
  shared.points.clear();
  EXPECT_EQ(run_with(known), without);  // as for the next campaign on the same server
}

// The first thread that exits early makes the C library load the unwinder. No other thread can get
// past the loader's lock meanwhile, so the runtime does not switch threads there.
TEST(Loader, IsLeftByOneThreadBeforeAnotherRuns) {
  for (const char* name : {"pass_threads_exit_value", "pass_c11_once_and_storage"}) {
    Server server({patched(name)});
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Schedule s = server.schedule(SchedulerKind::kPos, seed);
      s.points.every_access = true;
      ASSERT_TRUE(server.run(s).ended()) << name << " " << seed;
    }
  }
}

}  // namespace
}  // namespace rff::test
