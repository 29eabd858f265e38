#include "libsched/engine/schedulers/pos.h"

namespace rff {

std::unique_ptr<Scheduler> make_pos(std::uint64_t seed) {
  return std::make_unique<PartialOrderSampling>(seed);
}

}  // namespace rff
