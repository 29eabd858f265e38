// Basic partial order sampling: every event has a random score, drawn once, and the lowest of the
// pending ones runs. Partial order sampling without its second idea, to see what that brings.
// Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018.
#include "libsched/engine/schedulers/pos.h"

namespace rff {

std::unique_ptr<Scheduler> make_basic_pos(const Schedule& schedule, LastWriters&) {
  return std::make_unique<PartialOrderSampling>(schedule.seed, Sampling::kBasic);
}

}  // namespace rff
