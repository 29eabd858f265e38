// Which sites of the program are scheduling points, and which turned out to be worth it in this
// run: they count from the next one on.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/memory/site_code.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/shadow.h"
#include "schedule/event.h"
#include "schedule/flat_map.h"

namespace rff {

class EventTable;

class PointSet {
 public:
  PointSet(const EventTable& events, const Modules& modules) : events_(events), modules_(modules) {}
  // Takes its marks off the modules, which outlive the run.
  ~PointSet();
  PointSet(const PointSet&) = delete;
  PointSet& operator=(const PointSet&) = delete;

  // The run's set is this one from now on (CodeName::packed). Sites of patched modules are marked
  // there as well, for those who ask quickly. Costs what is new if it begins as the set before.
  void use(const std::uint64_t* begin, const std::uint64_t* end);
  std::size_t size() const { return list_.size(); }
  void mark_new_modules() { mark(0, true); }
  // Of a caller of a library function that accesses a range.
  bool contains(CodeName site) const { return points_.contains(site.packed()); }

  // The event `code` (see Cell) touched a word that two threads use.
  void learn(std::uint32_t code) {
    if (code != 0 && !known(code)) {
      learn_new(code);
    }
  }
  const std::vector<std::uint64_t>& learned() const { return learned_; }

 private:
  // Quickly, of a site.
  bool known(std::uint32_t code) const {
    return (code & kInterned) == 0 &&
           modules_.patched()[module_of(code)]->is_point[site_of(code)] != 0;
  }
  void learn_new(std::uint32_t code);
  // All from the one with this number on.
  void mark(std::size_t first, bool point);

  const EventTable& events_;
  const Modules& modules_;
  std::vector<std::uint64_t> list_;
  FlatSet points_;  // the same, for contains
  FlatSet noted_;
  std::vector<std::uint64_t> learned_;
};

}  // namespace rff
