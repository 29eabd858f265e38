// Where a panic (see check.h) is told, besides standard error.
#pragma once

#include "libsched/support/check.h"
#include "schedule/shared_memory.h"

namespace rff {

// Where the fuzzer finds it, too: nobody sees the standard error of a run.
inline constinit SharedText<256>* panic_place = nullptr;

// Call before main: what the program makes of standard error later is not for us to write to.
void remember_error_output();

}  // namespace rff
