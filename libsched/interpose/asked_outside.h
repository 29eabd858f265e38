// Notes in the trace what the program asked of the world and where the answer was stored. It names
// the source of a value that differs when a run is repeated.
#pragma once

#include <cstddef>

namespace rff {

// `what`: the call; `subject`: what it asked about, or null. Costs nothing without a trace.
void asked_outside(const char* what, const char* subject, const void* answer = nullptr,
                   std::size_t bytes = 0);
// The same about an open file; nothing is noted if the runtime itself asked (`caller`).
void asked_about(const char* what, int fd, const void* answer, std::size_t bytes,
                 const void* caller);

}  // namespace rff
