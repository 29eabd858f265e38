// Runs made by hand, for the tests of the core.
#pragma once

#include <string_view>
#include <vector>

#include "fuzzer/common/run_summary.h"

namespace rff::test_data {

inline Location variable(std::uint64_t offset) { return {LocationKind::kGlobal, 1, offset}; }
inline const Location kX = variable(0x40), kY = variable(0x80);
inline AbstractEvent read_at(const Location& x, std::uint32_t site) {
  return AbstractEvent::make(OpKind::kRead, x, 4, {7, site});
}
inline AbstractEvent write_at(const Location& x, std::uint32_t site) {
  return AbstractEvent::make(OpKind::kWrite, x, 4, {7, site});
}

inline AbstractEvent object_event(OpKind op, const Location& x, std::uint32_t site) {
  return AbstractEvent::make(op, x, 0, {7, site});
}

// Collects events and reads-from pairs; summary() is valid as long as this object is.
class FakeRun {
 public:
  explicit FakeRun(RunOutcome outcome = RunOutcome::kNormal) { summary_.outcome = outcome; }

  std::uint32_t event(const AbstractEvent& e) {
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      if (events_[i] == e) {
        return i;
      }
    }
    events_.push_back(e);
    return static_cast<std::uint32_t>(events_.size() - 1);
  }
  FakeRun& reads_from(const AbstractEvent& write, const AbstractEvent& read) {
    std::uint32_t w = event(write);
    pairs_.push_back({w, event(read)});
    return *this;
  }
  // Adds a step of `thread` at `address`. Without `point`, it belongs to the previous scheduling
  // point.
  FakeRun& step(std::uint16_t thread, const AbstractEvent& e, std::uint64_t address,
                std::uint64_t value = 0, bool point = true) {
    std::uint32_t index = event(e);
    auto check = static_cast<std::uint16_t>((e.id() & 0x7fff) | Step::kPoint);
    steps_.push_back({address, value, index, thread, point ? check : std::uint16_t{0}});
    return *this;
  }
  // Adds a step and a pair with invalid event indexes, as a dying writer may leave them.
  FakeRun& wild() {
    steps_.push_back({0x40, 0, 1'000'000, 0, Step::kPoint});
    pairs_.push_back({1'000'000, 1'000'001});
    return *this;
  }
  // Adds a comparison of two values at a place in code.
  FakeRun& compares(std::uint64_t first, std::uint64_t second, std::uint32_t site) {
    compared_.push_back({.first = first, .second = second, .site = {7, site}, .width = 4});
    return *this;
  }
  FakeRun& new_control_flow() {
    summary_.new_control_flow = true;
    return *this;
  }
  FakeRun& points(std::uint64_t n) {
    summary_.scheduling_points = n;
    return *this;
  }

  RunSummary summary() const {
    RunSummary s = summary_;
    s.events = events_;
    s.pairs = pairs_;
    s.steps = steps_;
    s.compared = compared_;
    for (const ReadsFromPair& p : pairs_) {
      if (p.write < events_.size() && p.read < events_.size()) {
        s.rf_combination += pair_id(events_[p.write], events_[p.read]);
      }
    }
    return s;
  }

 private:
  RunSummary summary_;
  std::vector<AbstractEvent> events_;
  std::vector<ReadsFromPair> pairs_;
  std::vector<Step> steps_;
  std::vector<ComparedValues> compared_;
};

}  // namespace rff::test_data
