// All threads of the target run one at a time: on one processor nobody has to be woken elsewhere.
#pragma once

#include <string>

namespace rff {

// On that of this number, if it is one and may be used, else on the one that this runs on now.
void stay_on_one_processor(const std::string& wanted);

}  // namespace rff
