// Timers of the program.
#pragma once

namespace rff::timers {

// Whether a timer that has been set will make the program do something: then nobody waits in vain.
bool will_expire();

}  // namespace rff::timers
