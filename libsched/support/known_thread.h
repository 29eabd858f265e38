// Whether the running thread is one of the program's, under control of the runtime.
#pragma once

namespace rff {

// True for threads that the runtime has created and that have not left it. The remaining exit of a
// thread, and threads that the C library creates by itself, belong to the C library.
extern thread_local bool known_thread __attribute__((tls_model("initial-exec")));

}  // namespace rff
