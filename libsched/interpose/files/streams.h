// The streams of the program are part of its schedule.
#pragma once

#include <stdio.h>

namespace rff {

// Call once, before main.
void model_streams();

// The stream will close its descriptor: writes what it has not written, as long as the runtime
// knows what that descriptor is.
void will_close_stream(FILE* f, const void* caller);

}  // namespace rff
