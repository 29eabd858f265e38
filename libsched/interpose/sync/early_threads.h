// Threads of a program into which AddressSanitizer or LeakSanitizer is linked. There its
// pthread_create comes first and asks ours for a thread that begins in the sanitizer's own code,
// and waits until that has run. So such a thread runs at once, beside the one that made it, until
// it comes to the program's code: the sanitizer tells by what it calls that it is there.
#pragma once

#include "libsched/engine/thread.h"

namespace rff {

// What such a thread begins with (see ThreadCode::early); null for all others.
void (*early_start(Thread& t))(Thread&);

// Whether a sanitizer has work to do in the new thread before the program's, which nobody waits for
// if its parent does not: what it allocates must not depend on how fast it is.
bool is_awaited(const Thread& t, const Thread& parent);

// A thread that comes to the program's code waits here for its turn. False if this is none.
bool arrive();

// Whether this is a thread in the sanitizer's code, before the program's.
bool starts_in_sanitizer();

}  // namespace rff
