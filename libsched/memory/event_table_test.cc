// Unit tests of EventTable: names of events, when two are the same, and what is reported.
#include "libsched/memory/event_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/memory/patched_module_for_tests.h"
#include "libsched/memory/shadow.h"

namespace rff {
namespace {

std::uint64_t x, y;  // globals of the patched module
const auto kX = reinterpret_cast<std::uint64_t>(&x);
const auto kY = reinterpret_cast<std::uint64_t>(&y);
constexpr CodeName kCaller = {7, 0x40};

class EventTableTest : public testing::Test {
 protected:
  EventTableTest() { main_.name = "main"; }

  AbstractEvent named(Site site, std::uint64_t address, OpKind did) const {
    return events_.describe(site_code(site), address, did);
  }
  // Two events that can form pairs.
  std::uint32_t write() { return events_.intern_site(site_code(kWrite), kX, OpKind::kWrite); }
  std::uint32_t read() { return events_.intern_site(site_code(kRead), kX, OpKind::kRead); }

  std::unique_ptr<Modules> modules_ = modules_of_test();
  Locations locations_{*modules_};
  EventTable events_{locations_, *modules_};
  Thread main_;
};

TEST_F(EventTableTest, TheSameEventHasOneIndex) {
  std::uint32_t first = events_.intern(OpKind::kLock, kX, 0, kCaller);
  std::uint32_t again = events_.intern(OpKind::kLock, kX, 0, kCaller);
  std::uint32_t as_event =
      events_.intern(AbstractEvent::make(OpKind::kLock, locations_.locate(kX), 0, kCaller));
  EXPECT_EQ(first, again);
  EXPECT_EQ(first, as_event);
  EXPECT_EQ(events_.events().size(), 1u);
}

TEST_F(EventTableTest, OperationPlaceAndCodeTellEventsApart) {
  events_.intern(OpKind::kLock, kX, 0, kCaller);
  events_.intern(OpKind::kUnlock, kX, 0, kCaller);
  events_.intern(OpKind::kLock, kY, 0, kCaller);
  events_.intern(OpKind::kLock, kX, 0, {7, 0x44});
  EXPECT_EQ(events_.events().size(), 4u);
}

TEST_F(EventTableTest, AnEventIsNamedByModuleAndOffset) {
  const PatchedModule& module = patched(*modules_);
  const AbstractEvent& e = events_.event(write());
  EXPECT_EQ(e.op, OpKind::kWrite);
  EXPECT_EQ(e.size, 8);
  EXPECT_EQ(e.site, (CodeName{module.hash, 0x110}));
  EXPECT_EQ(e.location(), (Location{LocationKind::kGlobal, module.hash, kX - module.bias}));
}

TEST_F(EventTableTest, TheSiteSaysWhatItDoesUnlessItLeavesThatOpen) {
  using enum OpKind;
  EXPECT_EQ(named(Site::kRead, kX, kWrite).op, kRead);
  EXPECT_EQ(named(Site::kWrite, kX, kRead).op, kWrite);
  EXPECT_EQ(named(Site::kLockedUpdate, kX, kWrite).op, kReadModifyWrite);
  EXPECT_EQ(named(Site::kExchange, kX, kWrite).op, kReadModifyWrite);
  EXPECT_EQ(named(Site::kUpdate, kX, kRead).op, kRead);
  EXPECT_EQ(named(Site::kUpdate, kX, kWrite).op, kWrite);
  EXPECT_EQ(named(Site::kUpdate, kX, kReadModifyWrite).op, kRead);
  EXPECT_EQ(named(Site::kString, kX, kWrite).op, kWrite);
  EXPECT_EQ(named(Site::kString, kX, kRead).op, kRead);
}

TEST_F(EventTableTest, AskingForANameRemembersNothing) {
  std::uint32_t code = site_code(kWrite);
  std::uint64_t id = events_.id_of(code, kX, OpKind::kWrite);
  EXPECT_EQ(id, named(kWrite, kX, OpKind::kWrite).id());
  EXPECT_EQ(events_.describe_init(kX), AbstractEvent::init(locations_.locate(kX)));
  EXPECT_TRUE(events_.events().empty());
  EXPECT_EQ(events_.id(write()), id);
  EXPECT_EQ(events_.id_of(code, kX, OpKind::kWrite), id);
  EXPECT_EQ(events_.events().size(), 1u);
}

TEST_F(EventTableTest, AnInternedCodeStandsForItsIndexWhateverTheAddress) {
  std::uint32_t index = events_.intern(OpKind::kWrite, kX, 100, kCaller);
  std::uint32_t code = kInterned | index;
  EXPECT_EQ(events_.intern_site(code, kY, OpKind::kRead), index);
  EXPECT_EQ(events_.describe(code, kY, OpKind::kRead), events_.event(index));
  EXPECT_EQ(events_.id_of(code, kY, OpKind::kRead), events_.id(index));
}

TEST_F(EventTableTest, AnOperationGetsIndexEventAndId) {
  Operation op;
  events_.name(op, write());
  EXPECT_EQ(op.index, write());
  EXPECT_EQ(op.event, events_.event(write()));
  EXPECT_EQ(op.id, op.event.id());
}

TEST_F(EventTableTest, AnAddressGivenOutAgainHasANewName) {
  const std::uint64_t block = 0x5000;
  locations_.allocated(block, 64, {7, 1}, main_);
  std::uint32_t first = events_.intern(OpKind::kWrite, block, 8, kCaller);
  std::uint32_t first_site = events_.intern_site(site_code(kWrite), block, OpKind::kWrite);
  EXPECT_EQ(events_.event(first).base, (CodeName{7, 1}.packed()));
  locations_.allocated(block, 64, {7, 2}, main_);
  std::uint32_t second = events_.intern(OpKind::kWrite, block, 8, kCaller);
  std::uint32_t second_site = events_.intern_site(site_code(kWrite), block, OpKind::kWrite);
  EXPECT_NE(first, second);
  EXPECT_NE(first_site, second_site);
  EXPECT_EQ(events_.event(second).base, (CodeName{7, 2}.packed()));
  EXPECT_EQ(events_.id_of(site_code(kWrite), block, OpKind::kWrite), events_.id(second_site));
}

TEST_F(EventTableTest, ManyEventsAreFoundAgainWhateverTheCacheKeeps) {
  constexpr std::uint64_t kMany = 1000;  // more than the cache has places
  locations_.mapped(0x100000, 8 * kMany, main_);
  std::vector<std::uint32_t> indexes;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    indexes.push_back(events_.intern(OpKind::kWrite, 0x100000 + 8 * i, 8, kCaller));
  }
  for (std::uint64_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(events_.intern(OpKind::kWrite, 0x100000 + 8 * i, 8, kCaller), indexes[i]);
    ASSERT_EQ(events_.event(indexes[i]).offset, 8 * i);
  }
  EXPECT_EQ(events_.events().size(), kMany);
}

TEST_F(EventTableTest, APairCountsOnce) {
  EXPECT_TRUE(events_.add_pair(write(), read()));
  EXPECT_FALSE(events_.add_pair(write(), read()));
  EXPECT_TRUE(events_.add_pair(events_.init(kX), read()));
  EXPECT_TRUE(events_.add_pair(events_.unseen(kX), read()));
  EXPECT_EQ(events_.pairs().size(), 3u);
}

TEST_F(EventTableTest, TheCombinationIsThatOfTheSetOfPairsInAnyOrder) {
  EventTable other(locations_, *modules_);
  std::uint32_t init = other.init(kX);  // has different indices, too
  std::uint32_t r = other.intern_site(site_code(kRead), kX, OpKind::kRead);
  std::uint32_t w = other.intern_site(site_code(kWrite), kX, OpKind::kWrite);
  EXPECT_EQ(events_.combination(), 0u);
  events_.add_pair(write(), read());
  std::uint64_t one = events_.combination();
  events_.add_pair(events_.init(kX), read());
  other.add_pair(init, r);
  EXPECT_NE(other.combination(), one);
  other.add_pair(w, r);
  EXPECT_EQ(other.combination(), events_.combination());
  EXPECT_NE(events_.combination(), one);
}

TEST_F(EventTableTest, ControlFlowIsTheSetOfDirectedEdges) {
  events_.add_edge(1, 2);
  std::uint64_t one = events_.control_flow();
  events_.add_edge(1, 2);
  EXPECT_EQ(events_.control_flow(), one);
  events_.add_edge(2, 1);
  EventTable other(locations_, *modules_);
  other.add_edge(2, 1);
  EXPECT_NE(other.control_flow(), one);
  other.add_edge(1, 2);
  EXPECT_EQ(other.control_flow(), events_.control_flow());
}

class RecordedEventTable : public EventTableTest {
 protected:
  RecordedEventTable() { events_.start(record_.get(), map_.data()); }
  std::uint16_t place_of_pair() {
    return static_cast<std::uint16_t>(hash_combine(events_.id(write()), events_.id(read())));
  }
  long touched() const { return std::count(map_.begin(), map_.end(), 1); }

  std::unique_ptr<RunRecord> record_ = std::make_unique<RunRecord>();
  std::vector<std::uint8_t> map_ = std::vector<std::uint8_t>(1 << 16);
};

TEST_F(RecordedEventTable, TheRecordHasTheEventsAndPairsOfTheTable) {
  events_.add_pair(write(), read());
  events_.add_pair(events_.init(kX), read());
  events_.add_pair(write(), read());
  std::vector<AbstractEvent> told(record_->event_list.begin(), record_->event_list.end());
  EXPECT_EQ(told, events_.events());
  ASSERT_EQ(record_->pairs.size(), 2u);
  EXPECT_EQ(told[record_->pairs.items[0].write].op, OpKind::kWrite);
  EXPECT_EQ(told[record_->pairs.items[1].write].op, OpKind::kInit);
  EXPECT_EQ(told[record_->pairs.items[1].read].op, OpKind::kRead);
}

TEST_F(EventTableTest, TheRecordOfARunHasWhatHappenedBeforeIt) {
  events_.add_pair(events_.init(kY), events_.intern(OpKind::kLock, kY, 0, kCaller));
  auto record = std::make_unique<RunRecord>();
  events_.start(record.get(), nullptr);
  events_.add_pair(write(), read());
  std::vector<AbstractEvent> told(record->event_list.begin(), record->event_list.end());
  EXPECT_EQ(told, events_.events());
  ASSERT_EQ(record->pairs.size(), 2u);
  EXPECT_EQ(told[record->pairs.items[0].read].op, OpKind::kLock);
  EXPECT_EQ(told[record->pairs.items[1].read].op, OpKind::kRead);
}

TEST_F(RecordedEventTable, AnEventCoversTheLargestOfItsRanges) {
  std::uint32_t few = events_.intern(OpKind::kRead, kX, 1, kCaller);
  std::uint32_t more = events_.intern(OpKind::kRead, kX, 8, kCaller);
  EXPECT_EQ(few, more);
  events_.intern(OpKind::kRead, kX, 2, kCaller);
  EXPECT_EQ(events_.event(few).size, 8);
  EXPECT_EQ(record_->event_list.items[few].size, 8);
}

TEST_F(RecordedEventTable, PlacesOfTheMapAreLeftToTheForkServer) {
  events_.add_pair(write(), read());
  events_.add_edge(1, 2);
  events_.add_edge(1, 2);
  std::vector<std::uint16_t> places(record_->map_places.begin(), record_->map_places.end());
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], place_of_pair());
  EXPECT_EQ(touched(), 0);
}

TEST_F(RecordedEventTable, PlacesThatDoNotFitIntoTheRecordGoToTheMap) {
  while (record_->map_places.append(0)) {
  }
  events_.add_pair(write(), read());
  EXPECT_EQ(map_[place_of_pair()], 1);
  EXPECT_EQ(touched(), 1);
}

TEST_F(RecordedEventTable, WithoutARecordPlacesGoToTheMap) {
  events_.start(nullptr, map_.data());
  events_.add_pair(write(), read());
  EXPECT_EQ(map_[place_of_pair()], 1);
}

TEST_F(RecordedEventTable, HalfOfTheMapIsLeftToControlFlow) {
  events_.start(record_.get(), map_.data(), kMapHalf);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    events_.add_edge(i, i + 1);
  }
  events_.add_pair(write(), read());
  EXPECT_EQ(record_->map_places.size(), 2001u);
  for (std::uint16_t place : record_->map_places) {
    ASSERT_LT(place, kMapHalf);
  }
  while (record_->map_places.append(0)) {
  }
  for (std::uint64_t i = 0; i < 2000; ++i) {
    events_.add_edge(i + 1, i);
  }
  EXPECT_GT(touched(), 0);
  EXPECT_EQ(std::count(map_.begin() + kMapHalf, map_.end(), 0), kMapHalf);
}

TEST_F(RecordedEventTable, WithoutAMapNoPlaceIsKept) {
  events_.start(record_.get(), nullptr);
  events_.add_pair(write(), read());
  EXPECT_EQ(record_->map_places.size(), 0u);
  EXPECT_EQ(record_->pairs.size(), 1u);
}

}  // namespace
}  // namespace rff
