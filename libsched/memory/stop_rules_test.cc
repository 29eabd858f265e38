// Unit tests of chosen stop points: where a run stops, and what of the rest is recorded.
#include "libsched/memory/stop_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "libsched/memory/patched_program.h"
#include "schedule/shared_memory.h"

namespace rff {
namespace {

alignas(64) std::uint64_t memory[2];
std::uint64_t& x = memory[0];
std::uint64_t& y = memory[1];

using Kind = StopRule::Kind;

struct ChosenProgram : WatchedProgram {
  explicit ChosenProgram(std::vector<StopRule> rules) {
    memory[0] = memory[1] = 0;
    points.racing = true;
    points.stops = std::move(rules);
    accesses.start(points, 0, {record.get()});
  }
  // Runs two threads, and returns the number of accesses at which they stopped.
  std::size_t run_both(Body first, Body second) {
    verdict = run([&] { together({std::move(first), std::move(second)}); });
    return count(true);
  }
  // The accesses in the record, with or without a stop.
  std::size_t count(bool stopped) const {
    return static_cast<std::size_t>(
        std::count_if(record->steps.begin(), record->steps.end(), [&](const Step& s) {
          return op_accesses(events.event(s.event).op) &&
                 ((s.check & Step::kPoint) != 0) == stopped;
        }));
  }
  ModuleRange at(Site site) {
    CodeName name = module().site_name(site);
    return {name.module, name.offset, name.offset + 1};
  }

  std::unique_ptr<RunRecord> record = std::make_unique<RunRecord>();
  SchedulingPoints points;
  std::string verdict;
};

ModuleRange range_of(const std::uint64_t& word) {
  std::unique_ptr<Modules> modules = modules_of_test();
  auto address = reinterpret_cast<std::uint64_t>(&word);
  const Module* m = modules->find(address);
  auto offset = static_cast<std::uint32_t>(address - m->bias);
  return {m->hash, offset, offset + 8};
}
ModuleRange site_range(Site site) {
  ChosenProgram any({});
  return any.at(site);
}

TEST(StopRules, WithPrimitivesAloneNoAccessStops) {
  ChosenProgram p({{"primitives", Kind::kPrimitives, {}, {}}});
  EXPECT_EQ(p.run_both([&] { p.write(kWrite, x, std::uint64_t{1}); }, [&] { p.read(kRead, x); }),
            0u);
  EXPECT_EQ(p.verdict, "");
}

TEST(StopRules, WithoutARuleRacingAccessesStop) {
  ChosenProgram p({});
  EXPECT_EQ(p.run_both([&] { p.write(kWrite, x, std::uint64_t{1}); }, [&] { p.read(kRead, x); }),
            1u);
}

// The search needs the first access to a word, too, which is not known as shared then.
TEST(StopRules, AccessesOfKnownSitesAreRecordedWithoutAStop) {
  ChosenProgram p({{"primitives", Kind::kPrimitives, {}, {}}});
  auto first = [&] { p.write(kWrite, x, std::uint64_t{1}); };
  auto second = [&] { p.read(kRead, x); };
  p.run_both(first, second);
  EXPECT_EQ(p.count(false), 1u) << "the first access is not known to race";
  EXPECT_EQ(p.accesses.points.learned().size(), 2u);
  ChosenProgram again({{"primitives", Kind::kPrimitives, {}, {}}});
  std::vector<std::uint64_t> known = p.accesses.points.learned();
  again.accesses.points.use(known.data(), known.data() + known.size());
  EXPECT_EQ(again.run_both([&] { again.write(kWrite, x, std::uint64_t{1}); },
                           [&] { again.read(kRead, x); }),
            0u);
  EXPECT_EQ(again.count(false), 2u);
}

TEST(StopRules, AChosenSiteStopsWhateverItTouches) {
  ChosenProgram p({{"file:a.c:1", Kind::kCode, {site_range(kWrite)}, {}}});
  EXPECT_EQ(p.run_both(
                [&] {
                  p.write(kWrite, x, std::uint64_t{1});
                  p.write(kWrite, x, std::uint64_t{2});
                  p.write(kWrite2, x, std::uint64_t{3});
                },
                [&] { p.read(kRead, y); }),
            2u);
}

TEST(StopRules, AChosenVariableStopsWhereverItIsTouched) {
  ChosenProgram p({{"variable:x", Kind::kMemory, {range_of(x)}, {}}});
  EXPECT_TRUE(p.accesses.rules.by_address());
  EXPECT_EQ(p.run_both(
                [&] {
                  p.write(kWrite, x, std::uint64_t{1});
                  p.write(kWrite, y, std::uint64_t{1});
                },
                [&] {
                  p.read(kRead, x);
                  p.read(kRead2, y);
                }),
            2u);
}

TEST(StopRules, ARuleInsideOfFunctionsNeedsOneOnTheStack) {
  struct Stack final : StackReader {
    std::size_t frames(std::uint64_t* frames, std::size_t) override {
      frames[0] = 0;
      frames[1] = caller;
      return 2;
    }
    std::uint64_t caller = 0;
  } stack;
  ModuleRange function = range_of(y);  // any place in the module will do
  for (bool inside : {true, false}) {
    ChosenProgram p({{"accesses in:f", Kind::kAccesses, {}, {function}}});
    stack.caller = reinterpret_cast<std::uint64_t>(inside ? &y : &x);
    p.accesses.rules.set_stack(stack);
    EXPECT_EQ(p.run_both([&] { p.write(kWrite, x, std::uint64_t{1}); }, [&] { p.read(kRead, x); }),
              inside ? 1u : 0u);
  }
}

// A loop that waits for another thread is a wait, and every wait is a stop point. The first loop
// here is not known as one: nobody has used `y` yet. The second one is, after some rounds.
TEST(StopRules, AThreadThatWaitsInALoopLetsOthersRun) {
  ChosenProgram p({{"primitives", Kind::kPrimitives, {}, {}}});
  p.run_both(
      [&] {
        p.write(kWrite, x, std::uint64_t{1});
        while (p.read(kRead, y) == 0) {
        }
        p.write(kWrite, x, std::uint64_t{2});
      },
      [&] {
        p.write(kWrite2, y, std::uint64_t{1});
        while (p.read(kRead2, x) != 2) {
        }
      });
  EXPECT_EQ(p.verdict, "");
  EXPECT_EQ(x, 2u);
  EXPECT_LT(p.execution.steps, 3 * ThreadMemory::kLongestStretch + 1000);
}

// Marks lie in the module, which outlives the run.
TEST(StopRules, TheNextRunHasNoMarks) {
  auto modules = std::shared_ptr<Modules>(modules_of_test());
  PatchedModule& m = patched(*modules);
  CodeName name = m.site_name(kWrite);
  SchedulingPoints points;
  points.stops = {{"", Kind::kCode, {{name.module, name.offset, name.offset + 1}}, {}}};
  std::int8_t before = m.fast[kWrite].last_offset;
  {
    StopRules rules(*modules);
    rules.start(points);
    EXPECT_EQ(m.chosen[kWrite], 1);
    EXPECT_EQ(m.fast[kWrite].last_offset, FastSite::kNever);
    points.stops.clear();
  }
  EXPECT_EQ(m.chosen[kWrite], 0);
  EXPECT_EQ(m.fast[kWrite].last_offset, before);
}

// Checks in patched code know nothing of scheduling points.
TEST(Group, IsEnabledOnlyWhileAllItsSitesHaveAFastPath) {
  auto modules = std::shared_ptr<Modules>(modules_of_test());
  PatchedModule& m = patched(*modules);
  auto enabled = [&](int group) { return static_cast<int>(m.group_enabled[group]); };
  std::uint64_t steps = 0;
  JoinedPlaces places;
  places.steps = &steps;
  EXPECT_EQ(enabled(0), 0);
  m.join({}, places);
  EXPECT_EQ(enabled(0), 1);
  EXPECT_EQ(enabled(1), 1);
  EXPECT_EQ(enabled(2), 0) << "a locked access";
  EXPECT_EQ(m.joined->steps_at, reinterpret_cast<std::uint64_t>(&steps));
  auto offset = [&](Site site) { return static_cast<std::uint32_t>(m.sites[site].address); };
  m.mark(offset(kRead4Bytes), PatchedModule::kPoint);
  EXPECT_EQ(enabled(0), 0) << "its last site is a scheduling point";
  EXPECT_EQ(enabled(1), 1);
  m.mark(offset(kRead4Bytes), PatchedModule::kNoPoint);
  EXPECT_EQ(enabled(0), 1);
  m.choose(offset(kRead2), offset(kRead2) + 1, false, true);
  EXPECT_EQ(enabled(0), 0) << "the user chose a site";
  m.join({}, {});
  EXPECT_EQ(enabled(1), 0) << "each access is to call its hook";
  m.choose(offset(kRead2), offset(kRead2) + 1, false, false);
  EXPECT_EQ(enabled(0), 0);
  m.join({}, places);
  EXPECT_EQ(enabled(0), 1);
  places.faults = true;
  m.join({}, places);
  EXPECT_EQ(enabled(0), 0) << "accesses behind one that faults would have been counted";
  EXPECT_EQ(enabled(1), 1);
  m.mark(offset(kRead4Bytes), PatchedModule::kPoint);
  m.mark(offset(kRead4Bytes), PatchedModule::kNoPoint);
  EXPECT_EQ(enabled(0), 0);
  m.disconnect();
  EXPECT_EQ(enabled(1), 0) << "an uncontrolled process";
}

TEST(Group, KnowsWhichAccessesAFaultHasPrevented) {
  auto modules = std::shared_ptr<Modules>(modules_of_test());
  const PatchedModule& m = patched(*modules);
  auto ahead = [&](std::uint64_t at, Site site, bool* writes) {
    return m.accesses_ahead(m.code_begin + at, m.sites[site].address, writes);
  };
  bool writes = false;
  EXPECT_EQ(ahead(0x10, kRead, &writes), 2U);
  EXPECT_EQ(ahead(0x1f, kRead4Bytes, &writes), 0U) << "the access that failed was counted";
  EXPECT_EQ(ahead(0x20, kRead, &writes), 0U) << "in the copy with hooks";
  EXPECT_FALSE(writes);
  EXPECT_EQ(ahead(0x33, kWrite, &writes), 0U);
  EXPECT_FALSE(writes) << "the write itself has failed";
  EXPECT_EQ(ahead(0x41, kUpdate, &writes), 1U);
  EXPECT_TRUE(writes);
}

}  // namespace
}  // namespace rff
