// Finds what a run did outside of its steps and yet in conflict with other threads.
#pragma once

#include <vector>

#include "fuzzer/systematic/explored_step.h"

namespace rff {

// `blocks` are the steps of a run and what is none, in order; each begins with an operation.
// Creating and starting threads and joining them is no step as long as it does nothing that matters
// to others. Returns whether what followed such an operation, up to the thread's next block,
// conflicts with another thread in a way that creating and joining threads does not order.
bool conflicts_outside_steps(const std::vector<ExploredStep>& blocks,
                             const std::vector<bool>& is_step);

}  // namespace rff
