// Whether the thread that runs is one of the program's under control.
#pragma once

namespace rff {

// A thread that the runtime has made and that has not left it yet. What remains of a thread
// afterwards, and threads that the C library makes by itself, are the C library's business.
extern thread_local bool known_thread __attribute__((tls_model("initial-exec")));

}  // namespace rff
