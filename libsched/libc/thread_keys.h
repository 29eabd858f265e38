// Destructors of thread-specific values. The C library runs them for its own threads only.
#pragma once

namespace rff {

// For the current thread, as POSIX has it: in rounds, as long as destructors set new values.
void run_key_destructors();

}  // namespace rff
