#include "libsched/memory/point_set.h"

#include "libsched/feedback/event_table.h"
#include "libsched/operation.h"

namespace rff {

void PointSet::learn_new(std::uint32_t code) {
  if ((code & kInterned) != 0) {
    // A range: named by its site, or by where its library function was called. Primitives are
    // always scheduling points.
    const AbstractEvent& e = events_.event(code & ~kInterned);
    if (op_accesses(e.op) && !points_.contains(e.site.packed()) && noted_.insert(e.site.packed())) {
      learned_.push_back(e.site.packed());
    }
    return;
  }
  PatchedModule& m = *modules_.patched()[code >> 24];
  std::uint32_t site = (code & 0xffffff) - 1;
  m.is_point[site] = PatchedModule::kLearned;
  learned_.push_back(m.site_name(site).packed());
}

}  // namespace rff
