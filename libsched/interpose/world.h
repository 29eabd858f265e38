// The world around the threads, as the engine asks about it: signals, timers, other processes.
#pragma once

#include "libsched/engine/listeners.h"

namespace rff {

World& world();

}  // namespace rff
