#include "fuzzer/core/input_mutators.h"

#include <gtest/gtest.h>

#include <set>

namespace rff {
namespace {

std::set<std::string> mutants(const std::string& parent, const InputRules& rules,
                              const InputHints& hints = {}, int count = 20'000) {
  Random random(7);
  std::set<std::string> all;
  for (int i = 0; i < count; ++i) {
    all.insert(mutate_input(parent, "other", hints, rules, random).bytes);
  }
  return all;
}

TEST(InputMutators, EqualSeedsMakeEqualInputs) {
  InputRules rules;
  Random one(3), same(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(mutate_input("abc", "xyz", {}, rules, one).bytes,
              mutate_input("abc", "xyz", {}, rules, same).bytes);
  }
}

TEST(InputMutators, EveryKindOfChangeIsMade) {
  std::set<std::string> made = mutants("a7b", {.dictionary = {"WORD"}});
  EXPECT_TRUE(made.contains("a6b")) << "a bit";
  EXPECT_TRUE(made.contains("aZb") || made.contains("a#b")) << "a byte";
  EXPECT_TRUE(made.contains("a8b")) << "arithmetic";
  EXPECT_TRUE(made.contains(std::string("a7b\0", 4))) << "an inserted part";
  EXPECT_TRUE(made.contains("ab")) << "a deleted part";
  EXPECT_TRUE(made.contains("a7ba7b") || made.contains("aa7b")) << "a copied part";
  EXPECT_TRUE(made.contains("a7other") || made.contains("aother")) << "a part of another one";
  EXPECT_TRUE(made.contains("WORDa7b")) << "a word of the dictionary";
  EXPECT_TRUE(made.contains("a1000b")) << "a number in text";
}

TEST(InputMutators, WhatAComparisonAsksForIsPutIn) {
  std::vector<Substitution> wanted = {{0, 1, "MAGIC"}, {2, 2, "end"}};
  std::set<std::string> made =
      mutants("x-yz", {}, {{.place = 1, .substitutions = wanted, .words = {"WORD"}}}, 1000);
  EXPECT_TRUE(made.contains("x-yzWORD"));
  EXPECT_TRUE(made.contains("MAGIC-yz"));
  EXPECT_TRUE(made.contains("x-end"));
  EXPECT_TRUE(made.contains("MAGIC-end"));
}

// The first one changes the length of the input, the parser's are many.
TEST(InputMutators, SeveralComparisonsGetWhatTheyAskForAtOnce) {
  InputHints hints;
  for (std::uint64_t i = 0; i < 3; ++i) {
    hints.push_back({.place = i, .substitutions = {{2 * i, 1, std::to_string(12 * (i + 1))}}});
  }
  PlaceHints parser = {.place = 9, .agreed = true};
  for (std::size_t i = 0; i < 60; ++i) {
    parser.substitutions.push_back({i % 5, 1, std::string(1, static_cast<char>('!' + i / 5))});
  }
  hints.push_back(parser);
  EXPECT_TRUE(mutants("0 0 0", {}, hints, 200).contains("12 24 36"));
}

TEST(InputMutators, WhatAScheduleReachedIsTriedUnderIt) {
  auto schedule = std::make_shared<const Schedule>();
  InputHints hints = {{.place = 1, .substitutions = {{0, 1, "WANTED"}}, .reached_by = schedule}};
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    Mutant mutant = mutate_input("a", "", hints, {}, random);
    EXPECT_TRUE(mutant.bytes != "WANTED" || mutant.schedule == schedule);
  }
  schedule.reset();
  EXPECT_EQ(mutate_input("a", "", hints, {}, random).schedule, nullptr);
}

TEST(InputMutators, AnInputStaysWithinItsRules) {
  for (const std::string& input : mutants("0123456789", {.most = 12})) {
    EXPECT_LE(input.size(), 12u);
  }
  for (const std::string& input : mutants("12", {.text = true})) {
    EXPECT_EQ(input.find('\0'), std::string::npos);
  }
}

TEST(InputMutators, AnEmptyInputGrows) { EXPECT_GT(mutants("", {}).size(), 1000u); }

}  // namespace
}  // namespace rff
