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

void PointSet::mark(std::size_t first, bool point) {
  for (std::size_t i = first; i < list_.size(); ++i) {
    CodeName c = CodeName::unpack(list_[i]);
    for (PatchedModule* m : modules_.patched()) {
      if (c.module == m->hash) {
        m->mark(c.offset, point);
      }
    }
  }
}

void PointSet::learn_new(std::uint32_t code) {
  if ((code & kInterned) != 0) {
    // A range: named by its site, or by the call of its library function. Primitives are always
    // scheduling points.
    const AbstractEvent& e = events_.event(code & ~kInterned);
    if (op_accesses(e.op) && !points_.contains(e.site.packed()) && noted_.insert(e.site.packed())) {
      learned_.push_back(e.site.packed());
    }
    return;
  }
  PatchedModule& m = *modules_.patched()[module_of(code)];
  std::uint32_t site = site_of(code);
  m.is_point[site] = PatchedModule::kLearned;
  learned_.push_back(m.site_name(site).packed());
}

}  // namespace rff
