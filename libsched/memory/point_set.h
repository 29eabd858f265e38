// The set of sites that are scheduling points, and those that this run found worth adding: they
// count from the next run on.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/memory/modules.h"
#include "libsched/memory/shadow.h"
#include "libsched/memory/site_code.h"
#include "schedule/event.h"
#include "schedule/flat_map.h"

namespace rff {

class EventTable;

class PointSet {
 public:
  PointSet(const EventTable& events, const Modules& modules) : events_(events), modules_(modules) {}
  // Removes its marks from the modules, which outlive the run.
  ~PointSet();
  PointSet(const PointSet&) = delete;
  PointSet& operator=(const PointSet&) = delete;

  // Replaces the run's set (PointName::packed), and marks sites of patched modules there for fast
  // lookup. Costs only the new entries if the set begins like the previous one.
  void use(const std::uint64_t* begin, const std::uint64_t* end);
  std::size_t size() const { return list_.size(); }
  void mark_new_modules() { mark(0, true); }
  // For callers of library functions that access a range.
  bool contains(CodeName site) const { return points_.contains(PointName{site}.packed()); }
  bool contains_handed_over(CodeName site) const {
    return points_.contains(PointName{site, true}.packed());
  }
  // Those for what locks hand over are none for the rest of the run.
  void drop_handed_over();

  // Call when the event `code` (see Cell) may race.
  void learn(std::uint32_t code, bool handed_over = false) {
    if (code != 0 && !known(code, handed_over)) {
      learn_new(code, handed_over);
    }
  }
  const std::vector<std::uint64_t>& learned() const { return learned_; }

 private:
  // Fast check; only finds sites of patched modules.
  bool known(std::uint32_t code, bool handed_over) const {
    if ((code & kInterned) != 0) {
      return false;
    }
    std::uint8_t now = modules_.patched()[module_of(code)]->is_point[site_of(code)];
    return handed_over ? now != PatchedModule::kNoPoint
                       : now == PatchedModule::kPoint || now == PatchedModule::kLearned;
  }
  void learn_new(std::uint32_t code, bool handed_over);
  // Marks or unmarks all points from index `first` on.
  void mark(std::size_t first, bool point);
  void mark(PointName point, std::uint8_t as);

  const EventTable& events_;
  const Modules& modules_;
  std::vector<std::uint64_t> list_;
  FlatSet points_;  // the same as list_, for contains
  FlatSet noted_;
  std::vector<std::uint64_t> learned_;
};

}  // namespace rff
