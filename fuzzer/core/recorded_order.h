// The order in which the threads of a run passed their scheduling points. Later schedules follow a
// part of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "schedule/schedule_file.h"

namespace rff {

struct RecordedOrder {
  std::shared_ptr<const std::vector<Decision>> entries;
  std::vector<std::uint32_t> place;  // for every step: the number of entries before it
  std::vector<bool> kept;            // for every step: whether it has an entry
};

// Some runs stop at every access, others at a few that they have drawn. Later runs do not, so an
// event is omitted unless `is_point` says that its place is a scheduling point.
template <typename IsPoint>
RecordedOrder record_order(const RunSummary& run, IsPoint is_point) {
  auto entries = std::make_shared<std::vector<Decision>>();
  RecordedOrder result;
  for (const Step& s : run.steps) {
    bool keep = s.check != 0 && s.event < run.events.size() && is_point(run.events[s.event]);
    result.place.push_back(static_cast<std::uint32_t>(entries->size()));
    result.kept.push_back(keep);
    if (keep) {
      entries->push_back({s.thread, static_cast<std::uint16_t>(s.check & 0x7fff)});
    }
  }
  result.entries = std::move(entries);
  return result;
}
inline RecordedOrder record_order(const RunSummary& run) {
  return record_order(run, [](const AbstractEvent&) { return true; });
}

}  // namespace rff
