#include "libsched/engine/schedulers/pos.h"

namespace rff {

std::unique_ptr<Scheduler> make_pos(const Schedule& schedule, LastWriters&) {
  return std::make_unique<PartialOrderSampling>(schedule.seed);
}

}  // namespace rff
