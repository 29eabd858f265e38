// Timers of the program, as other parts of the runtime see them.
#pragma once

namespace rff::timers {

// Returns whether a timer that is set will run a handler of the program: then no wait is a
// deadlock.
bool will_expire();

}  // namespace rff::timers
