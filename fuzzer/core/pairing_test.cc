#include "fuzzer/core/pairing.h"

#include <gtest/gtest.h>

#include <map>

namespace rff {
namespace {

RunSummary normal() {
  RunSummary run;
  run.outcome = RunOutcome::kNormal;
  return run;
}

InputPlan plan(std::vector<std::string> first) {
  InputPlan p;
  p.input.way = ProgramInput::Way::kFile;
  p.first = std::move(first);
  return p;
}

// Runs a pretended program whose control flow is the first byte of the input.
class PairingTest : public testing::Test {
 protected:
  std::string step(Pairing& pairs) {
    Schedule s = pairs.next_schedule(0);
    std::uint64_t first =
        s.input.bytes.empty() ? 999 : static_cast<unsigned char>(s.input.bytes[0]);
    InputTraits traits;
    traits.flow = {first % 4};
    pairs.report(s, normal(), traits);
    return s.input.bytes;
  }
};

TEST_F(PairingTest, TheFirstInputsComeFirst) {
  Pairing pairs({}, plan({"one", "two"}));
  EXPECT_EQ(step(pairs), "one");
  EXPECT_EQ(step(pairs), "two");
}

TEST_F(PairingTest, AnInputWithNewControlFlowBecomesAMember) {
  Pairing pairs({}, plan({"a"}));
  for (int i = 0; i < 2000; ++i) {
    step(pairs);
  }
  EXPECT_EQ(pairs.inputs().members().size(), 4u);
}

TEST_F(PairingTest, ANewMemberIsRunUnderSeveralSchedulesAtOnce) {
  Pairing pairs({}, plan({"a"}));
  step(pairs);
  for (std::uint32_t i = 0; i < Pairing::kBurst; ++i) {
    EXPECT_EQ(step(pairs), "a");
  }
}

// Runs under it cost as much as those of a new member; only its changes are of interest.
TEST_F(PairingTest, AnInputThatOnlyComesNearerIsAMemberWithoutABurst) {
  Pairing pairs({}, plan({"a"}));
  auto run = [&] {
    Schedule s = pairs.next_schedule(0);
    const std::uint64_t difference = s.input.bytes == "a" ? 9 : 8;
    pairs.report(s, normal(), {.flow = {1}, .near = {{1, difference}}});
    return s.input.bytes;
  };
  std::string nearer = run();
  while (nearer == "a") {
    nearer = run();
  }
  ASSERT_EQ(pairs.inputs().members().size(), 2u);
  EXPECT_EQ(pairs.inputs().members()[1].bytes, nearer);
  std::uint32_t again = 0;
  while (run() == nearer) {
    ++again;
  }
  EXPECT_LT(again, Pairing::kBurst);
}

TEST_F(PairingTest, AStringThatWasComparedIsAMember) {
  Pairing pairs({}, plan({"a"}));
  auto hints = [] { return InputHints{{.place = 1, .strings = true, .words = {"BUG"}}}; };
  for (int i = 0; i < 100; ++i) {
    pairs.report(pairs.next_schedule(0), normal(), {.flow = {1}, .hints = hints});
  }
  EXPECT_TRUE(pairs.inputs().find("BUG").has_value());
}

TEST_F(PairingTest, NeitherSideStarves) {
  Pairing pairs({}, plan({"a"}));
  std::map<std::string, int> runs;
  for (int i = 0; i < 20'000; ++i) {
    ++runs[step(pairs)];
  }
  int members = 0;
  for (const InputMember& m : pairs.inputs().members()) {
    EXPECT_GT(runs[m.bytes], 1000) << m.bytes;
    members += runs[m.bytes];
  }
  EXPECT_GT(20'000 - members, 2000) << "mutants";
}

TEST_F(PairingTest, OnlyOneSideIsFuzzedIfAskedTo) {
  InputPlan inputs = plan({"a", "b"});
  inputs.fuzzes_inputs = false;
  Pairing schedules({}, inputs);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(step(schedules), "a");
  }
  inputs.fuzzes_inputs = true;
  inputs.fuzzes_schedules = false;
  Pairing only_inputs({}, inputs);
  for (int i = 0; i < 100; ++i) {
    Schedule s = only_inputs.next_schedule(0);
    only_inputs.report(s, normal(), {});
    EXPECT_EQ(s.seed, FuzzPlan{}.seed);
  }
}

TEST_F(PairingTest, ADiscardedInputIsCountedAndNotKept) {
  Pairing pairs({}, plan({"a"}));
  RunSummary discarded = normal();
  discarded.flags = kDiscarded;
  for (int i = 0; i < 50; ++i) {
    InputTraits traits;
    traits.flow = {static_cast<std::uint64_t>(i)};
    pairs.report(pairs.next_schedule(0), discarded, traits);
  }
  EXPECT_EQ(pairs.discarded(), 50u);
  EXPECT_TRUE(pairs.inputs().members().empty());
}

TEST_F(PairingTest, TheSameSeedMakesTheSameCampaign) {
  FuzzPlan search;
  search.seed = 5;
  Pairing one(search, plan({"a"})), same(search, plan({"a"}));
  for (int i = 0; i < 1000; ++i) {
    Schedule s = one.next_schedule(0), t = same.next_schedule(0);
    ASSERT_EQ(s, t);
    InputTraits traits;
    traits.flow = {hash_bytes(s.input.bytes) % 9};
    one.report(s, normal(), traits);
    same.report(t, normal(), traits);
  }
}

// Each search for schedules takes memory.
TEST_F(PairingTest, ThousandsOfInputsAreSearchedInTurn) {
  Pairing pairs({}, plan({"a"}));
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Schedule s = pairs.next_schedule(0);
    InputTraits traits;
    traits.flow = {i};
    pairs.report(s, normal(), traits);
  }
  EXPECT_GT(pairs.inputs().members().size(), Pairing::kMostSearches);
}

}  // namespace
}  // namespace rff
