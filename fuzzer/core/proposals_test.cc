// Fixes the search down to the last random draw: for every plan, the proposed schedules and the
// verdicts on their runs must equal those recorded here.
//
// A change that is meant to change the search replaces the hashes. A failure prints the new ones.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/core/test_program.h"

namespace rff {
namespace {

using namespace test_data;

class Hash {
 public:
  Hash& add(std::uint64_t value) {
    value_ = hash_combine(value_, value);
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

// Hashes the fields, so that it does not depend on the file format.
std::uint64_t hash_of(const Schedule& s) {
  Hash h;
  h.add(s.prefix.size());
  for (const Decision& d : s.prefix) h.add(d.thread).add(d.check.bits());
  h.add(s.guided);
  h.add(s.constraints.size());
  for (const Constraint& c : s.constraints.constraints()) {
    h.add(c.write.id()).add(c.read.id()).add(c.positive);
  }
  h.add(hash_bytes(scheduler_name(s.scheduler)));
  h.add(s.pct_depth).add(s.pct_length).add(s.patience);
  h.add(s.delay_bound).add(s.estimates.key);
  for (const ThreadEstimate& e : s.estimates.threads) h.add(e.thread).add(e.points);
  h.add(s.timeouts == kAnyPreemption).add(s.exit_is_finding).add(s.seed).add(s.max_steps);
  h.add(s.points.every_access).add(s.points.listed).add(s.points.shared_version);
  h.add(s.points.sites.size());
  EXPECT_EQ(s.target, Target{});
  EXPECT_FALSE(s.finding);
  return h.value();
}

std::string kind_of(const Schedule& s) {
  return std::string(scheduler_name(s.scheduler)) + (s.guided ? ", guided" : "") +
         (s.constraints.empty() ? "" : ", constrained");
}

struct Campaign {
  std::uint64_t hash = 0;
  std::map<std::string, int> kinds;  // kind of schedule → number
};

std::vector<Schedule> schedules_of_an_earlier_campaign(const TestProgram& program) {
  FuzzCore core({.seed = 77});
  std::vector<Schedule> schedules;
  for (int i = 0; i < 12; ++i) {
    schedules.push_back(core.next_schedule(0));
    core.report(schedules.back(), program.run(schedules.back()).summary());
    schedules.back().patience = 10 + static_cast<std::uint32_t>(i);
  }
  return schedules;
}

enum class Variant { kUsual, kInitialSchedules, kNothingUsable };

// Reports runs of its own schedules and among them timed-out runs, damaged records, new scheduling
// points, and runs of schedules that other instances made or that are repeated.
Campaign campaign(const FuzzPlan& plan, const TestProgram::Shape& shape, int proposals,
                  Variant variant = Variant::kUsual) {
  TestProgram program(shape);
  FuzzCore core(plan);
  if (variant == Variant::kInitialSchedules) {
    for (const Schedule& s : schedules_of_an_earlier_campaign(program)) core.add_initial(s);
  }
  Campaign result;
  Hash hash;
  Schedule earlier;
  auto report = [&](const Schedule& s, std::uint64_t accident) {
    FakeRun run = program.run(s);
    if (accident % 5 == 0) run.new_control_flow();
    if (accident % 7 == 0) run.wild();
    RunSummary summary = run.summary();
    if (accident % 23 == 0 || variant == Variant::kNothingUsable) {
      summary.outcome = RunOutcome::kUnresponsive;
    }
    FuzzCore::Verdict verdict = core.report(s, summary);
    hash.add(verdict.joined).add(verdict.new_pairs);
  };
  for (int i = 0; i < proposals; ++i) {
    Schedule s = core.next_schedule(static_cast<std::uint32_t>(i / 10));
    hash.add(hash_of(s));
    ++result.kinds[kind_of(s)];
    std::uint64_t accident = mix64(static_cast<std::uint64_t>(i) + shape.seed);
    report(s, accident);
    if (accident % 13 == 0) {
      Schedule other = s;
      other.seed = accident;
      report(other, accident / 13);
    }
    if (accident % 17 == 0) report(accident % 2 == 0 ? s : earlier, accident / 17);
    if (accident % 3 == 0) earlier = s;
    if (accident % 101 == 0) {
      std::array<std::uint64_t, 1> point = {
          CodeName{7, static_cast<std::uint32_t>(accident >> 54)}.packed()};
      core.add_points(point);
    }
  }
  hash.add(core.corpus().members().size()).add(core.corpus().combinations());
  hash.add(core.pool().observed_pairs()).add(core.pool().pairs().size());
  result.hash = hash.value();
  return result;
}

constexpr TestProgram::Shape kSmall = {.seed = 3};
constexpr TestProgram::Shape kLong = {
    .seed = 5, .threads = 3, .roles = 3, .length = 60, .variables = 10};
constexpr TestProgram::Shape kCrowd = {
    .seed = 9, .threads = 12, .roles = 2, .length = 10, .variables = 3};
constexpr Bounds kTight = {.known = 64, .events = 48, .order_entries = 1024};

using Golden = std::array<std::uint64_t, 3>;

// Checks `proposals` of each of three campaigns with different seeds and programs.
void expect_proposals(FuzzPlan plan, int proposals, const Golden& golden,
                      Variant variant = Variant::kUsual) {
  const TestProgram::Shape shapes[] = {kSmall, kLong, kCrowd};
  Golden found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    plan.seed = 1 + i;
    found[i] = campaign(plan, shapes[i], proposals, variant).hash;
  }
  std::string text = "{";
  for (std::uint64_t hash : found) {
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%016llx, ", static_cast<unsigned long long>(hash));
    text += hex;
  }
  EXPECT_EQ(found, golden) << "now: " << text << "}";
}

TEST(Proposals, TheDefaultSearchIsAsRecorded) {
  expect_proposals({}, 2000, {0x92087dacf871db46, 0x245c882e262b4a6d, 0x6c7d9fa7e52e7047});
}

TEST(Proposals, AfterInitialSchedulesAreAsRecorded) {
  expect_proposals({}, 500, {0x21f30b0d59ad150d, 0xc0c4fc6b2967fc25, 0x060a12919bb0f214},
                   Variant::kInitialSchedules);
}

TEST(Proposals, BeyondTheBoundsAreAsRecorded) {
  expect_proposals({.bounds = kTight}, 2000,
                   {0x9d9cde5060f1b1dd, 0xbadea56795c9cb66, 0x79c6a45b218e3b72});
}

TEST(Proposals, WhileNoRunIsUsableAreAsRecorded) {
  expect_proposals({}, 300, {0x25c14c48c921f455, 0x30a872704b118ec0, 0x8abf7d43b54631a3},
                   Variant::kNothingUsable);
}

TEST(Proposals, ThePaperIsAsRecorded) {
  expect_proposals({.search = {.paper = true}}, 1000,
                   {0x9a858541f7de3ffa, 0xccb1c5c34130b82e, 0x22f66e98a0c834c8});
}

TEST(Proposals, ThePaperAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.paper = true}}, 300,
                   {0x0029622e3dba0b61, 0x59a4ec4190ad2f4c, 0xa2c4b0d543c6a6bf},
                   Variant::kInitialSchedules);
}

TEST(Proposals, ThePaperBeyondTheBoundsIsAsRecorded) {
  expect_proposals({.search = {.paper = true}, .bounds = kTight}, 1000,
                   {0xcf35dd3ed2bcc82a, 0x55b83dc47e7844dc, 0xefe6e0e54498e124});
}

TEST(Proposals, PosIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPos}, .exit_is_finding = true}, 200,
                   {0x45a6cb718388f09a, 0xa610db1e6f3f98f1, 0x8625100ba7490804});
}

TEST(Proposals, PctIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPct, .depth = 4}}, 200,
                   {0x676fdd427afab7e7, 0x818aba0b7c24f31b, 0x477bd8e73429ad31});
}

TEST(Proposals, PctAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPct}}, 200,
                   {0x8b102f980a9165dc, 0xc58c704cb5ddc4f2, 0x62829588676e138d},
                   Variant::kInitialSchedules);
}

TEST(Proposals, SelectiveWalksAreAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kSelective}}, 200,
                   {0x40c381a6652a845a, 0x275c69ffeff41f0a, 0x8e3777afb069c5f0});
}

TEST(Proposals, OneStrategyAloneIsAsRecorded) {
  expect_proposals({.search = {.only = SearchChoice::Part::kValues}}, 200,
                   {0x00ce7d05329b0ac7, 0xf505ab4b36ae8617, 0x364ff7268fe68ba6});
}

TEST(Proposals, WithoutFeedbackAreAsRecorded) {
  expect_proposals({.search = {.feedback = false}}, 200,
                   {0x46b0cf631663e4a1, 0x74e189bfb0858e64, 0xb2bc7dd1ebdeb9ed});
}

TEST(Proposals, RandomWalksAreAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRandom}, .timeouts = kAnyPreemption},
                   200, {0xe0ca2c2480929132, 0x84329876b598f7db, 0xab55d937a3d1d3eb});
}

TEST(Proposals, RoundRobinIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRoundRobin}}, 200,
                   {0x09f1cf7aa8e656b9, 0x6ee182836261e9e8, 0xd7b0176b46287f71});
}

TEST(Proposals, RoundRobinAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRoundRobin}}, 200,
                   {0x4a161b2a31a64386, 0x3b26c004d35e4c81, 0x0cd00c66761bf84a},
                   Variant::kInitialSchedules);
}

// If a kind is missing, the campaigns above check less than they should.
TEST(Proposals, TheDefaultSearchMakesEveryKind) {
  std::map<std::string, int> kinds = campaign({.seed = 1}, kSmall, 2000).kinds;
  for (const auto& [kind, count] : kinds) RecordProperty(kind, count);
  for (const char* kind : {"rff", "rff, constrained", "window", "window, guided",
                           "window, constrained", "steady, guided", "round-robin"}) {
    EXPECT_GT(kinds[kind], 0) << kind;
  }
}

}  // namespace
}  // namespace rff
