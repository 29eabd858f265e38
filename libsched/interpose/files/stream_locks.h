// Locks of streams that programs take themselves.
#pragma once

#include <stdio.h>

namespace rff {

// Before a function that would lock the stream by itself: waits while another thread holds it.
void await_stream(FILE* f, const void* caller);

}  // namespace rff
