// Binds the process to one processor: threads run one at a time, so none is woken on another one.
#pragma once

#include <string>

namespace rff {

// Uses the processor with this number if it is valid and allowed, otherwise the current one.
void stay_on_one_processor(const std::string& wanted);

}  // namespace rff
