// Checks the bounds with a campaign in which no run, location, value or order occurs twice.
#include "fuzzer/core/bounded.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

std::size_t allocated() {
  struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

class NothingTwice {
 public:
  explicit NothingTwice(std::size_t locations) : locations_(locations) {}

  RunSummary next() {
    events_.clear();
    pairs_.clear();
    steps_.clear();
    for (std::size_t i = 0; i < locations_; ++i) {
      ++fresh_;
      Location x{LocationKind::kGlobal, fresh_ / 64, fresh_ % 64 * 8};
      auto site = static_cast<std::uint32_t>(fresh_ * 2);
      add(AbstractEvent::make(OpKind::kReadModifyWrite, x, 4, {7, site}), 1);
      add(AbstractEvent::make(OpKind::kRead, x, 4, {7, site + 1}), 2);
      auto n = static_cast<std::uint32_t>(events_.size());
      pairs_.push_back({n - 2, n - 1});
    }
    RunSummary run;
    run.outcome = RunOutcome::kNormal;
    run.events = events_;
    run.pairs = pairs_;
    run.steps = steps_;
    run.rf_combination = mix64(fresh_);
    run.scheduling_points = steps_.size();
    return run;
  }

 private:
  void add(const AbstractEvent& e, std::uint16_t thread) {
    auto check = static_cast<std::uint16_t>((e.id() & 0x7fff) | Step::kPoint);
    steps_.push_back(
        {fresh_ * 8, fresh_, static_cast<std::uint32_t>(events_.size()), thread, check});
    events_.push_back(e);
  }

  std::size_t locations_;
  std::uint64_t fresh_ = 0;
  std::vector<AbstractEvent> events_;
  std::vector<ReadsFromPair> pairs_;
  std::vector<Step> steps_;
};

// Returns the bytes in use after so many runs.
std::size_t campaign(const Bounds& bounds, std::size_t locations, int runs, std::size_t* half) {
  std::size_t before = allocated();
  FuzzCore core({.seed = 1, .bounds = bounds});
  NothingTwice program(locations);
  for (int run = 0; run < runs; ++run) {
    if (run == runs / 2) {
      *half = allocated() - before;
    }
    Schedule schedule = core.next_schedule(0);
    core.report(schedule, program.next());
  }
  return allocated() - before;
}

TEST(MemoryOfACampaign, IsBoundedHoweverMuchIsNew) {
  if (allocated() == 0) {
    GTEST_SKIP() << "this allocator (a sanitizer's) does not say how much is in use";
  }
  Bounds small = {.known = 2048, .events = 512, .order_entries = 1 << 16};
  std::size_t half = 0;
  std::size_t whole = campaign(small, 100, 1000, &half);
  EXPECT_LT(whole, std::size_t{8} << 20);  // 80 bytes for each location
  EXPECT_LT(whole, half + half / 4);
}

// Every schedule has an order, and all of them stay referenced.
TEST(MemoryOfACampaign, CountsTheOrdersThatAreStillWanted) {
  LiveOrders orders;
  auto order = orders.count(std::make_shared<const std::vector<Decision>>(10));
  auto other = orders.count(std::make_shared<const std::vector<Decision>>(5));
  auto again = order;
  EXPECT_EQ(orders.entries(), 15u);
  order.reset();
  EXPECT_EQ(orders.entries(), 15u);
  again.reset();
  EXPECT_EQ(orders.entries(), 5u);
}

}  // namespace
}  // namespace rff
