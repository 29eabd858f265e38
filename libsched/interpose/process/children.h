// Processes that the program makes. They run uncontrolled, but what a thread sees of them must not
// depend on how fast they are.
#pragma once

#include <sys/wait.h>

namespace rff::children {

// Before main: processes that the program forks go on uncontrolled.
void watch();

void note(pid_t child);

// Executes a system call that makes a process with memory of its own, which goes on where it was
// made. Returns what the kernel does.
long make(long number, const long (&arguments)[6], const void* caller);

// Lets every child run until it has ended or waits for something, which may be us. Whoever asks
// whether a wait is over asks afterwards.
void settle();

// To every child that the program has made itself.
void send_signal(int signal);

// The run ends. If the program never made a thread and leaves a child behind, that is why.
void note_end();

// Whether waiting for this child would end at once.
bool ended(idtype_t which, long who, int options);

}  // namespace rff::children
