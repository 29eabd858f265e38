// Words for what a thread waits for: for the runtime's own reports and for the tools.
#pragma once

#include <string>

#include "schedule/failure.h"

namespace rff {

// Returns "a mutex" or "the other threads at a barrier"; with the object's name "mutex `m`", "the
// other threads at barrier `b`" or "a mutex (offset 8 of a block from …)".
std::string wait_words(WaitObject object, const std::string& name = "");

}  // namespace rff
