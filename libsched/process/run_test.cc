// Unit tests of consecutive runs in one process: the same schedule gives the same run each time,
// and a run that has ended leaves nothing behind.
#include "libsched/process/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "libsched/memory/patched_program.h"
#include "libsched/support/arena_for_tests.h"

namespace {

// Blocks of operator new that were not freed.
long live_blocks = 0;

void* allocate(std::size_t bytes) {
  ++live_blocks;
  void* block = std::malloc(bytes > 0 ? bytes : 1);
  return block != nullptr ? block : (std::abort(), nullptr);
}
void release(void* block) {
  live_blocks -= block != nullptr ? 1 : 0;
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

namespace rff {
namespace {

alignas(256) std::uint64_t memory[64];
FakeMutex mutex;

class NoControl : public RunControl {
 public:
  void start_run() override {}
  void finish_run(int) override {}
  [[noreturn]] void reject_run() override { die(SIGABRT); }
  [[noreturn]] void end_process(int signal) override { die(signal); }
};

// Everything that a run reports about itself.
struct Told {
  std::uint64_t trace_hash, combination, control_flow, events, points, switches;
  std::uint32_t threads, flags;
  RunState state;
  RunOutcome outcome;
  std::vector<Decision> decisions;
  std::vector<AbstractEvent> event_list;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>> steps;
  std::vector<std::uint16_t> map_places;
  std::size_t fresh_bytes;
  bool operator==(const Told&) const = default;
};

// Thread objects may have different addresses each time: compare only that there is one.
std::uint64_t comparable(std::uint64_t address) {
  auto begin = reinterpret_cast<std::uint64_t>(memory);
  return address - begin < sizeof memory ? address - begin : address != 0;
}

Told told(const RunRecord& r) {
  Told t{r.trace_hash,
         r.rf_combination,
         r.control_flow,
         r.events,
         r.scheduling_points,
         r.switches,
         r.threads,
         r.flags,
         r.state.load(),
         r.outcome.load(),
         {},
         {},
         {},
         {},
         {},
         fresh_bytes()};
  t.decisions.assign(r.decisions.begin(), r.decisions.end());
  t.event_list.assign(r.event_list.begin(), r.event_list.end());
  t.map_places.assign(r.map_places.begin(), r.map_places.end());
  for (const ReadsFromPair& pair : r.pairs) {
    t.pairs.emplace_back(pair.write, pair.read);
  }
  for (const Step& s : r.steps) {
    t.steps.emplace_back(comparable(s.address), s.value, s.event, s.thread);
  }
  return t;
}

class RunTest : public testing::Test {
 protected:
  RunTest() { shared_->initialize(); }

  static Schedule schedule(std::uint64_t seed) {
    Schedule s;
    s.scheduler = SchedulerKind::kPos;
    s.seed = seed;
    s.points.every_access = true;
    return s;
  }
  // Each thread updates words that all threads use, one of them under a mutex.
  static void work(PatchedProgram& p, std::uint64_t number) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      p.add(kUpdate, memory[0], number);
      p.lock(mutex, 10);
      p.write(kWrite, memory[1], p.read(kRead, memory[1]) + number);
      p.unlock(mutex, 20);
      p.write(kWrite2, memory[8 + number], i);
    }
  }
  Told run(const Schedule& s, std::uint64_t threads) {
    std::fill(std::begin(memory), std::end(memory), 0);
    mutex = {};
    shared_->run.begin();
    PatchedProgram program(modules_);
    NoControl control;
    CarriedThread carried;
    program.main.carried = &carried;
    Told result;
    {
      rff::Run r(program.main, *program.modules, program);
      r.findings.set_control(control, sanitizer_);
      r.begin(s, shared_.get(), map_.data());
      program.use(r.execution, r.accesses);
      std::string verdict = program.run([&] {
        std::vector<Thread*> made;
        for (std::uint64_t i = 1; i < threads; ++i) {
          made.push_back(&program.create([&program, i] { work(program, i); }));
        }
        work(program, threads);
        for (Thread* t : made) {
          program.join(*t);
        }
        r.end(0);
      });
      EXPECT_EQ(verdict, "");
      result = told(shared_->run);
    }
    drop_fresh_memory();
    return result;
  }

  std::shared_ptr<Modules> modules_ = modules_of_test();
  Sanitizer sanitizer_;
  std::unique_ptr<SharedMemory> shared_ = std::make_unique<SharedMemory>();
  std::vector<std::uint8_t> map_ = std::vector<std::uint8_t>(1 << 16);
};

TEST_F(RunTest, TheSameScheduleGivesTheSameRunEachTime) {
  for (std::uint64_t threads = 1; threads <= 5; ++threads) {
    Told first = run(schedule(threads), threads);
    EXPECT_EQ(first.threads, threads);
    EXPECT_EQ(first.state, RunState::kEnded);
    EXPECT_EQ(first.outcome, RunOutcome::kNormal);
    EXPECT_EQ(first.decisions.empty(), threads == 1);
    for (int time = 0; time < 10; ++time) {
      EXPECT_TRUE(run(schedule(threads), threads) == first) << threads << " threads";
    }
  }
}

TEST_F(RunTest, OtherRunsInBetweenChangeNothing) {
  Told first = run(schedule(1), 4);
  bool other = false;
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    other |= run(schedule(seed), 1 + seed % 5).trace_hash != first.trace_hash;
    EXPECT_TRUE(run(schedule(1), 4) == first);
  }
  EXPECT_TRUE(other);
}

TEST_F(RunTest, ReplayedDecisionsGiveTheSameHash) {
  Told first = run(schedule(3), 4);
  Schedule replay = schedule(77);
  replay.prefix = first.decisions;
  Told second = run(replay, 4);
  EXPECT_EQ(second.trace_hash, first.trace_hash);
  EXPECT_EQ(second.decisions, first.decisions);
  EXPECT_EQ(second.outcome, RunOutcome::kNormal);
}

TEST_F(RunTest, ARunThatIsOverLeavesNoMemoryBehind) {
  for (std::uint64_t threads = 1; threads <= 5; ++threads) {
    long before = live_blocks;
    std::size_t used = run(schedule(threads), threads).fresh_bytes;
    EXPECT_GT(used, 0u);
    EXPECT_EQ(live_blocks, before) << threads << " threads";
  }
}

TEST_F(RunTest, OnlyTheFirstEndCounts) {
  PatchedProgram program(modules_);
  shared_->run.begin();
  rff::Run r(program.main, *program.modules, program);
  r.begin({}, shared_.get(), nullptr);
  r.end(3);
  shared_->run.events = 99;
  r.end(4);
  EXPECT_EQ(r.exit_status, 3);
  EXPECT_EQ(shared_->run.events, 99u);
  drop_fresh_memory();
}

TEST_F(RunTest, ARunWithoutASecondThreadSaysSo) {
  EXPECT_NE(run(schedule(1), 1).flags & kNoThreads, 0u);
  EXPECT_EQ(run(schedule(1), 2).flags & kNoThreads, 0u);
}

TEST_F(RunTest, LearnedPointsAreAddedToTheSharedOnes) {
  run(schedule(1), 3);
  EXPECT_GE(shared_->points.size(), 3u);
}

TEST_F(RunTest, ARunThatIsOverLeavesNoPointMarkedInTheModules) {
  PatchedModule& module = patched(*modules_);
  std::vector<std::uint8_t> points = module.is_point;
  Schedule s = schedule(1);
  s.points.sites = {module.site_name(kRead2)};
  run(s, 3);
  EXPECT_EQ(module.is_point, points);
  EXPECT_NE(module.fast[kRead2].last_offset, FastSite::kNever);
}

}  // namespace
}  // namespace rff
