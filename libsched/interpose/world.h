// Implements the engine's interface to the world outside its threads: signals, timers, processes.
#pragma once

#include "libsched/engine/listeners.h"

namespace rff {

World& world();

}  // namespace rff
