// Processes that the program creates. They run uncontrolled, but a thread's view of them must not
// depend on their speed.
#pragma once

#include <sys/wait.h>

namespace rff::children {

// Call before main. Makes processes that the program forks run uncontrolled.
void watch();

void note(pid_t child);

// Executes a system call that creates a process with its own memory, which continues after the
// call. Returns the kernel's value.
long make(long number, const long (&arguments)[6], const void* caller);

// Lets every child run until it has ended or waits for something, perhaps for this process. Call
// before checking whether a wait is over.
void settle();

// Sends a signal to every child that the program has created itself.
void send_signal(int signal);

// Call when the run ends. Reports a program that creates no thread and leaves a child behind: it is
// a daemon.
void note_end();

// Returns whether waiting for this child would end at once.
bool ended(idtype_t which, long who, int options);

}  // namespace rff::children
