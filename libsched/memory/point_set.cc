#include "libsched/memory/point_set.h"

#include <algorithm>

#include "libsched/engine/operation.h"
#include "libsched/memory/event_table.h"
#include "libsched/memory/site_code.h"

namespace rff {

PointSet::~PointSet() {
  mark(0, false);
  list_.swap(learned_);
  mark(0, false);
}

void PointSet::use(const std::uint64_t* begin, const std::uint64_t* end) {
  auto count = static_cast<std::size_t>(end - begin);
  if (count < list_.size() || !std::equal(list_.begin(), list_.end(), begin)) {
    mark(0, false);
    list_.clear();
    points_ = {};
  }
  std::size_t known = list_.size();
  list_.insert(list_.end(), begin + known, end);
  for (std::size_t i = known; i < count; ++i) {
    points_.insert(list_[i]);
  }
  mark(known, true);
}

void PointSet::mark(PointName point, std::uint8_t as) {
  for (PatchedModule* m : modules_.patched()) {
    if (point.site.module == m->hash) {
      m->mark(point.site.offset, as);
    }
  }
}

void PointSet::mark(std::size_t first, bool point) {
  for (std::size_t i = first; i < list_.size(); ++i) {
    PointName p = PointName::unpack(list_[i]);
    mark(p, !point          ? PatchedModule::kNoPoint
            : p.handed_over ? PatchedModule::kHandedOver
                            : PatchedModule::kPoint);
  }
}

void PointSet::drop_handed_over() {
  for (std::uint64_t packed : list_) {
    if (PointName p = PointName::unpack(packed); p.handed_over) {
      mark(p, PatchedModule::kLearnedHandedOver);
    }
  }
}

void PointSet::learn_new(std::uint32_t code, bool handed_over) {
  if ((code & kInterned) != 0) {
    // A range: named by its site, or by the call of its library function. Primitives are always
    // scheduling points.
    const AbstractEvent& e = events_.event(code & ~kInterned);
    std::uint64_t name = PointName{e.site, handed_over}.packed();
    bool is_new = !points_.contains(name) && !contains(e.site) &&
                  !noted_.contains(PointName{e.site}.packed());
    if (op_accesses(e.op) && is_new && noted_.insert(name)) {
      learned_.push_back(name);
    }
    return;
  }
  PatchedModule& m = *modules_.patched()[module_of(code)];
  std::uint32_t site = site_of(code);
  if (m.is_point[site] != PatchedModule::kHandedOver) {  // that one stays what it is in this run
    m.is_point[site] = handed_over ? PatchedModule::kLearnedHandedOver : PatchedModule::kLearned;
  } else if (!noted_.insert(m.site_name(site).packed())) {
    return;
  }
  learned_.push_back(PointName{m.site_name(site), handed_over}.packed());
}

}  // namespace rff
