#include "schedule/abstract_schedule.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

const Location kGlobal{LocationKind::kGlobal, 1, 0x10};
const Location kY{LocationKind::kGlobal, 1, 0x20};
const AbstractEvent kWriteX = AbstractEvent::make(OpKind::kWrite, kGlobal, 4, {1, 1});
const AbstractEvent kReadX = AbstractEvent::make(OpKind::kRead, kGlobal, 4, {1, 2});
const AbstractEvent kReadY = AbstractEvent::make(OpKind::kRead, kY, 4, {1, 3});

TEST(AbstractSchedule, InsertRejectsDuplicatesAndNonPairs) {
  AbstractSchedule s;
  EXPECT_TRUE(s.insert({kWriteX, kReadX, true}));
  EXPECT_FALSE(s.insert({kWriteX, kReadX, true}));
  EXPECT_FALSE(s.insert({kWriteX, kReadY, true})) << "different locations";
  EXPECT_FALSE(s.insert({kReadX, kReadX, true})) << "a read is no source";
  EXPECT_FALSE(s.insert({kWriteX, kWriteX, true})) << "a write reads nothing";
  EXPECT_TRUE(s.insert({AbstractEvent::init(kGlobal), kReadX, true}));
  EXPECT_EQ(s.size(), 2u);
}

TEST(AbstractSchedule, ANewerStatementReplacesItsContradiction) {
  AbstractSchedule s;
  s.insert({kWriteX, kReadX, true});
  EXPECT_TRUE(s.insert({kWriteX, kReadX, false}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_FALSE(s.constraints()[0].positive);
}

TEST(AbstractSchedule, SwapReplacesOneAndKeepsTheRest) {
  AbstractSchedule s;
  s.insert({kWriteX, kReadX, true});
  Constraint other{AbstractEvent::init(kY), kReadY, false};
  EXPECT_TRUE(s.swap(0, other));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s.constraints()[0], other);
  EXPECT_FALSE(s.swap(0, other)) << "nothing would change";
  EXPECT_FALSE(s.swap(5, {kWriteX, kReadX, true})) << "no such index";
}

TEST(AbstractSchedule, SwapMayTurnAConstraintIntoItsOpposite) {
  AbstractSchedule s;
  s.insert({kWriteX, kReadX, true});
  EXPECT_TRUE(s.swap(0, {kWriteX, kReadX, false}));
  EXPECT_EQ(s.size(), 1u);
}

TEST(AbstractSchedule, EraseAndNegate) {
  AbstractSchedule s;
  s.insert({kWriteX, kReadX, true});
  EXPECT_TRUE(s.negate(0));
  EXPECT_TRUE(s.contains({kWriteX, kReadX, false}));
  EXPECT_TRUE(s.erase(0));
  EXPECT_FALSE(s.erase(0));
  EXPECT_FALSE(s.negate(0));
}

TEST(AbstractSchedule, EqualityAndHashIgnoreOrder) {
  Constraint a{kWriteX, kReadX, true};
  Constraint b{AbstractEvent::init(kY), kReadY, false};
  AbstractSchedule ab;
  ab.insert(a);
  ab.insert(b);
  AbstractSchedule ba;
  ba.insert(b);
  ba.insert(a);
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(ab.hash(), ba.hash());
  ba.negate(0);
  EXPECT_FALSE(ab == ba);
  EXPECT_NE(ab.hash(), ba.hash());
}

}  // namespace
}  // namespace rff
