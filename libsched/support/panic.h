// Destinations of a panic message (see check.h).
#pragma once

#include "libsched/support/check.h"
#include "schedule/shared_memory.h"

namespace rff {

// Shared with the fuzzer, since the standard error of a run is not shown.
inline constinit SharedText<256>* panic_place = nullptr;

// Call before main: if the program replaces standard error later, the runtime must not write there.
void remember_error_output();

}  // namespace rff
