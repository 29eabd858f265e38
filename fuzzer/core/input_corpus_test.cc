#include "fuzzer/core/input_corpus.h"

#include <gtest/gtest.h>

#include <vector>

namespace rff {
namespace {

Schedule with_input(const std::string& bytes) {
  Schedule schedule;
  schedule.input.bytes = bytes;
  return schedule;
}

std::vector<std::string> asked(InputCorpus& corpus) {
  std::vector<std::string> all;
  while (std::optional<Mutant> mutant = corpus.take_asked()) {
    EXPECT_NE(mutant->schedule, nullptr) << "the order that led to the comparison";
    all.push_back(mutant->bytes);
  }
  return all;
}

TEST(InputCorpus, WhatANewComparisonAsksForIsAskedOnce) {
  InputCorpus corpus;
  std::size_t member = corpus.add(with_input("7")).value();
  InputHints hints = {{.place = 1, .substitutions = {{0, 1, "100"}}, .words = {"d"}}};
  corpus.learn(member, hints, with_input("7"));
  EXPECT_EQ(asked(corpus), (std::vector<std::string>{"100", "d"}));
  corpus.learn(corpus.add(with_input("8")).value(), hints, with_input("8"));
  EXPECT_EQ(asked(corpus), std::vector<std::string>());
}

TEST(InputCorpus, ANewSetOfAgreementsIsAskedForWhatItLacks) {
  InputCorpus corpus;
  for (std::uint64_t i = 0; i < Agreements::kFirstRuns; ++i) {
    corpus.shows_new({.agreed = {1}});
  }
  InputHints hints = {{.place = 12, .words = {"12"}},
                      {.place = 24, .words = {"24"}},
                      {.place = 36, .words = {"36"}}};
  corpus.learn(corpus.add(with_input("0")).value(), hints, with_input("0"));
  asked(corpus);
  ASSERT_TRUE(corpus.shows_new({.agreed = {12, 1, 24}}));
  hints[0].agreed = hints[1].agreed = true;
  corpus.learn(corpus.add(with_input("12 24")).value(), hints, with_input("12 24"));
  EXPECT_EQ(asked(corpus), (std::vector<std::string>{"36 12 24", "12 24 36"}));
  EXPECT_FALSE(corpus.shows_new({.agreed = {24, 12}}));
}

TEST(InputCorpus, AComparisonComesNearerOnceItIsKnown) {
  InputCorpus corpus;
  EXPECT_FALSE(corpus.comes_nearer({.near = {{1, 5}}})) << "nothing to compare with";
  EXPECT_FALSE(corpus.comes_nearer({.near = {{1, 5}, {2, 9}}}));
  EXPECT_TRUE(corpus.comes_nearer({.near = {{1, 7}, {2, 8}}}));
  EXPECT_FALSE(corpus.comes_nearer({.near = {{1, 6}, {2, 8}}}));
  EXPECT_TRUE(corpus.comes_nearer({.near = {{1, 0}}}));
}

TEST(InputCorpus, ALargeDifferenceThatIsHardlyLessIsNotNearer) {
  InputCorpus corpus;
  corpus.comes_nearer({.near = {{1, 6400}, {2, InputCorpus::kFarthest * 4}}});
  EXPECT_FALSE(corpus.comes_nearer({.near = {{1, 6300}, {2, InputCorpus::kFarthest * 2}}}));
  EXPECT_TRUE(corpus.comes_nearer({.near = {{1, 6299}}}));
  EXPECT_TRUE(corpus.comes_nearer({.near = {{2, InputCorpus::kFarthest - 1}}}));
}

TEST(InputCorpus, RemembersTheStringsThatComparisonsAskedFor) {
  InputCorpus corpus;
  InputHints hints = {{.place = 1, .strings = true, .words = {"BUG"}},
                      {.place = 2, .agreed = true, .strings = true, .words = {"GET"}},
                      {.place = 3, .words = {"7"}}};
  corpus.learn(corpus.add(with_input("a")).value(), hints, with_input("a"));
  EXPECT_TRUE(corpus.is_compared_word("BUG"));
  EXPECT_FALSE(corpus.is_compared_word("GET")) << "was equal already";
  EXPECT_FALSE(corpus.is_compared_word("7")) << "a value";
}

}  // namespace
}  // namespace rff
