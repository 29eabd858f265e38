// Destructors of thread-specific values. The C library runs them for its own threads only.
#pragma once

namespace rff {

// Runs the current thread's destructors as POSIX requires: in rounds, while they set new values.
void run_key_destructors();

// Creates the key whose destructor ends a thread. Call before the first thread.
void make_end_key();
// Makes the C library's run of the current thread's destructors end the thread for the runtime too.
void end_with_destructors();

}  // namespace rff
