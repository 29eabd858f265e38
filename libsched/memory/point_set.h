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

  // Replaces the run's set (CodeName::packed), and marks sites of patched modules there for fast
  // lookup. Costs only the new entries if the set begins like the previous one.
  void use(const std::uint64_t* begin, const std::uint64_t* end);
  std::size_t size() const { return list_.size(); }
  void mark_new_modules() { mark(0, true); }
  // For callers of library functions that access a range.
  bool contains(CodeName site) const { return points_.contains(site.packed()); }

  // Call when the event `code` (see Cell) touched a word that two threads use.
  void learn(std::uint32_t code) {
    if (code != 0 && !known(code)) {
      learn_new(code);
    }
  }
  const std::vector<std::uint64_t>& learned() const { return learned_; }

 private:
  // Fast check; only finds sites of patched modules.
  bool known(std::uint32_t code) const {
    return (code & kInterned) == 0 &&
           modules_.patched()[module_of(code)]->is_point[site_of(code)] != 0;
  }
  void learn_new(std::uint32_t code);
  // Marks or unmarks all points from index `first` on.
  void mark(std::size_t first, bool point);

  const EventTable& events_;
  const Modules& modules_;
  std::vector<std::uint64_t> list_;
  FlatSet points_;  // the same as list_, for contains
  FlatSet noted_;
  std::vector<std::uint64_t> learned_;
};

}  // namespace rff
