// The threads of the program: made, found by their handles, given back.
#pragma once

#include <pthread.h>

#include "libsched/interpose/target_thread.h"

namespace rff {

// The thread with this handle; null if there is none, or none any more.
Thread* find_thread(pthread_t handle);
// A new thread, ready to start. 0 or an errno value.
int make_thread(Thread** made, const pthread_attr_t* attributes, void* (*entry)(void*),
                void* argument, CodeName created_at);
// The current thread has finished all of its code. Returns only on carriers that do not end threads
// themselves, and for the last thread.
void end_thread();
// A joined or detached thread that has ended gives its resources back.
void release_thread(Thread& t);
// 0 or an errno value.
int detach_thread(Thread& t);

}  // namespace rff
