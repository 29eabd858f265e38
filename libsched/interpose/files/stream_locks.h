// Locks of stdio streams that programs take themselves (flockfile).
#pragma once

#include <stdio.h>

namespace rff {

// Call before a function that would lock the stream: waits while another thread holds the lock.
void await_stream(FILE* f, const void* caller);

}  // namespace rff
