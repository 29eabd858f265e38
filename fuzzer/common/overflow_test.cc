#include "fuzzer/common/overflow.h"

#include <gtest/gtest.h>

#include "fuzzer/common/shared_mapping.h"
#include "schedule/run_finding.h"

namespace rff {
namespace {

class OverflowTest : public testing::Test {
 protected:
  OverflowTest() : mapping_(SharedMapping::create(sizeof(SharedMemory))) { shared().initialize(); }
  SharedMemory& shared() { return *mapping_.as<SharedMemory>(); }

  // Appends to a list until one entry does not fit.
  template <typename List>
  static void overflow(List& list) {
    list.count.store(List::capacity());
    EXPECT_FALSE(list.append({}));
  }

  SharedMapping mapping_;
};

TEST_F(OverflowTest, FullListsLoseNothing) {
  shared().run.decisions.count.store(shared().run.decisions.capacity() - 1);
  EXPECT_TRUE(shared().run.decisions.append({}));
  EXPECT_EQ(overflowed_lists(shared()), 0u);
  EXPECT_TRUE(overflow_texts(0).empty());
  EXPECT_EQ(complete_decisions(shared().run).size(), shared().run.decisions.capacity());
}

TEST_F(OverflowTest, EveryListIsLookedAt) {
  std::uint32_t expected = 0;
  auto expect_seen = [&](auto& list, OverflowedList bit, const char* name) {
    overflow(list);
    EXPECT_EQ(overflow_names(overflowed_lists(shared()) & ~expected),
              std::vector<std::string>{name});
    expected |= bit;
    EXPECT_EQ(overflowed_lists(shared()), expected);
  };
  expect_seen(shared().run.event_list, kEventsOverflowed, "events");
  expect_seen(shared().run.pairs, kPairsOverflowed, "pairs");
  expect_seen(shared().run.steps, kStepsOverflowed, "steps");
  expect_seen(shared().run.decisions, kDecisionsOverflowed, "decisions");
  expect_seen(shared().points, kPointsOverflowed, "points");
  expect_seen(shared().modules, kModulesOverflowed, "modules");
  expect_seen(shared().unmodelled_calls, kCallsOverflowed, "unmodelled_calls");
  EXPECT_EQ(overflow_texts(expected).size(), 7u);
  EXPECT_EQ(overflows_from_names(overflow_names(expected)), expected);
}

TEST_F(OverflowTest, TextSaysWhatTheRecordHoldsAndWhatFollows) {
  EXPECT_EQ(overflow_texts(kDecisionsOverflowed),
            std::vector<std::string>{"more decisions than the record holds (4194304): such a run "
                                     "is repeated from its seed, not decision by decision"});
}

TEST_F(OverflowTest, APartOfTheDecisionsIsNotHandedOut) {
  shared().run.decisions.append({1, 2});
  EXPECT_EQ(complete_decisions(shared().run), (std::vector<Decision>{{1, 2}}));
  overflow(shared().run.decisions);
  EXPECT_TRUE(complete_decisions(shared().run).empty());
}

}  // namespace
}  // namespace rff
