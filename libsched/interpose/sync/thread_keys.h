// Destructors of thread-specific values. The C library runs them for its own threads only.
#pragma once

namespace rff {

// For the current thread, as POSIX has it: in rounds, as long as destructors set new values.
void run_key_destructors();

// Before the first thread: makes the key whose destructor ends a thread.
void make_end_key();
// The destructors of the current thread's values, which the C library runs, end it for the runtime
// too.
void end_with_destructors();

}  // namespace rff
