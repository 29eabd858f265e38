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
  h.add(s.timeouts == TimeoutPolicy::kAny).add(s.exit_is_finding).add(s.seed).add(s.max_steps);
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
  expect_proposals({}, 2000, {0xba29c6e087ed103c, 0x50a4012f51abc982, 0xd5dc6d8f90a9672d});
}

TEST(Proposals, AfterInitialSchedulesAreAsRecorded) {
  expect_proposals({}, 500, {0xf862161e772719b3, 0x6ad001e8e75d97c9, 0xa19c65112534012c},
                   Variant::kInitialSchedules);
}

TEST(Proposals, BeyondTheBoundsAreAsRecorded) {
  expect_proposals({.bounds = kTight}, 2000,
                   {0xdf38bf8dff044241, 0x8bf5afdec8057584, 0xe036e874fff4750d});
}

TEST(Proposals, WhileNoRunIsUsableAreAsRecorded) {
  expect_proposals({}, 300, {0x9d88d5a828036271, 0x77be210f5f74e03a, 0x35ee5f7ee9b38095},
                   Variant::kNothingUsable);
}

TEST(Proposals, ThePaperIsAsRecorded) {
  expect_proposals({.search = {.paper = true}}, 1000,
                   {0x318c444c97cd0bbf, 0xb64069c8156b40ac, 0x1b5329ea2a1ed5ce});
}

TEST(Proposals, ThePaperAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.paper = true}}, 300,
                   {0xd04f2a8a3952ce3c, 0x7389efab4227c604, 0x32602cef5150db11},
                   Variant::kInitialSchedules);
}

TEST(Proposals, ThePaperBeyondTheBoundsIsAsRecorded) {
  expect_proposals({.search = {.paper = true}, .bounds = kTight}, 1000,
                   {0x53e5d80dee6bbdc9, 0xed5c039b8e7202d2, 0xc695d9189d551014});
}

TEST(Proposals, PosIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPos}, .exit_is_finding = true}, 200,
                   {0xc41e4a5050d50241, 0x936d887bbcb1e967, 0x14170826bc56f378});
}

TEST(Proposals, PctIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPct, .depth = 4}}, 200,
                   {0x01a96dc101d5f239, 0xad39e716d9be11d7, 0x2f4ddddff91af082});
}

TEST(Proposals, PctAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kPct}}, 200,
                   {0x2cd47681871bc2a3, 0x85cc3a1de8218440, 0xc48468d390c30ed9},
                   Variant::kInitialSchedules);
}

TEST(Proposals, RandomWalksAreAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRandom}, .timeouts = TimeoutPolicy::kAny}, 200,
                   {0x1d2657b2c016f7b8, 0xf2b39fc2458b7dd7, 0x35410d2b945afdd2});
}

TEST(Proposals, RoundRobinIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRoundRobin}}, 200,
                   {0xc3a8fb4d6b3e65dc, 0xd894e4b0ce52c85b, 0x08a843ede3a4a059});
}

TEST(Proposals, RoundRobinAfterInitialSchedulesIsAsRecorded) {
  expect_proposals({.search = {.scheduler = SchedulerKind::kRoundRobin}}, 200,
                   {0xbf30e25ce392c424, 0xc8ea2c1361ebf8c6, 0x46d5337cbbf9a0b2},
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
