// The table of the program's threads: creates threads, finds them by handle, releases them.
#pragma once

#include <pthread.h>

#include "libsched/interpose/target_thread.h"

namespace rff {

// Returns the thread with this handle; null if there is none, or if it has been released.
Thread* find_thread(pthread_t handle);
// Creates a thread that is ready to start. Returns 0 or an errno value.
int make_thread(Thread** made, const pthread_attr_t* attributes, void* (*entry)(void*),
                void* argument, CodeName created_at);
// Creates an attendant (Thread::attendant). Its first operation is `first`; `entry` is called when
// that has taken effect. Ends the run if there is no memory for it.
Thread& make_attendant(const char* name, const Operation& first, void* (*entry)(void*),
                       void* argument, CodeName created_at);
// Call when the current thread has finished all of its code. Returns only on carriers that do not
// end threads themselves, and for the last thread.
void end_thread();
// Releases the resources of a joined or detached thread that has ended.
void release_thread(Thread& t);
// Returns 0 or an errno value.
int detach_thread(Thread& t);

}  // namespace rff
