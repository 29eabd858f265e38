// Threads of a program into which AddressSanitizer or LeakSanitizer is linked. The sanitizer's
// pthread_create is called first; it asks ours for a thread that begins in the sanitizer's own
// code. Some wait until that code has run: such a thread runs at once, concurrently with its
// creator, until it reaches the program's code, which the runtime recognizes by the sanitizer's
// calls. Others hold a lock for which that code waits: there the thread begins at its first turn.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

// Returns the code that such a thread begins with (see ThreadCode::early); null for other threads.
void (*early_start(Thread& t, const Thread& parent))(Thread&);

// Returns whether a sanitizer has work to do in the new thread before the program's code for which
// the parent does not wait itself: its allocations must not depend on the thread's speed, so it
// begins at the thread's first turn.
bool is_awaited(const Thread& t, const Thread& parent);

// A thread that reaches the program's code waits here for its turn. Returns false for other
// threads.
bool arrive();

// Returns whether the current thread is still in the sanitizer's code, before the program's.
bool starts_in_sanitizer();

}  // namespace rff
