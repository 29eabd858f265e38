// The entry of the process into the runtime, before all constructors of the program; or, in a
// program that makes runs itself, when it makes the first.
#pragma once

#include "libsched/process/host.h"

namespace rff {

class Runtime;

// Makes the runtime of this process. Call once. `host`: null unless the program makes runs itself.
Runtime* make_runtime(Host* host);

}  // namespace rff
