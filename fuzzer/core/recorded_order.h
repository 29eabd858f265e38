// The order in which the threads of a run passed their scheduling points. Later schedules follow a
// part of it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fuzzer/core/run_summary.h"
#include "schedule/schedule_file.h"

namespace rff {

struct RecordedOrder {
  std::shared_ptr<const std::vector<Decision>> entries;
  std::vector<std::uint32_t> place;  // for every step: the number of entries before it
  std::vector<bool> kept;            // for every step: whether it has an entry
};

// `every_access`: the run stopped at every access. Later runs do not, so memory that only one
// thread uses is omitted.
inline RecordedOrder record_order(const RunSummary& run, bool every_access) {
  constexpr std::uint32_t kMany = ~std::uint32_t{0};
  std::unordered_map<std::uint64_t, std::uint32_t> users;
  if (every_access) {
    for (const Step& s : run.steps) {
      auto [it, fresh] = users.try_emplace(s.address >> 3, s.thread);
      if (!fresh && it->second != s.thread) {
        it->second = kMany;
      }
    }
  }
  auto entries = std::make_shared<std::vector<Decision>>();
  RecordedOrder result;
  for (const Step& s : run.steps) {
    bool keep = s.check != 0 && s.event < run.events.size() &&
                (!every_access || !op_accesses(run.events[s.event].op) ||
                 users.at(s.address >> 3) == kMany);
    result.place.push_back(static_cast<std::uint32_t>(entries->size()));
    result.kept.push_back(keep);
    if (keep) {
      entries->push_back({s.thread, static_cast<std::uint16_t>(s.check & 0x7fff)});
    }
  }
  result.entries = std::move(entries);
  return result;
}

}  // namespace rff
