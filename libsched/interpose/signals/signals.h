// Signals that the program's threads send each other, as a part of the schedule.
//
// Nothing is sent by the kernel: a signal is kept until its thread takes it, which is an operation
// that the scheduler chooses like any other. A thread that is stopped takes it in place of what it
// was about to do, and goes back to that afterwards. What comes from outside the process is noted
// and then goes the same way. Only signals that the runtime needs itself, for findings, are
// delivered at once when an instruction causes them.
//
// A signal that ends the program is a finding, whoever in the program sent it and however. One that
// another process sends from outside the run ends the run without a report.
#pragma once

#include <signal.h>

#include <cstdint>

#include "libsched/engine/thread.h"

namespace rff::signals {

// One bit for each signal, as the kernel has them.
using Set = std::uint64_t;
inline Set bit(int signal) { return Set{1} << (signal - 1); }
inline Set to_set(const sigset_t& s) { return s.__val[0]; }
inline bool valid(int signal) { return signal >= 0 && signal < NSIG; }

// Signals that the runtime needs itself: its handler stays installed and passes them on.
bool ours(int signal);
bool program_handles(int signal);
// An instruction or a real signal caused it: calls the program's handler. False if it has none.
bool deliver(int signal, siginfo_t* info, void* context);

// An instruction or a real signal caused it, and it did not come from a process outside the run.
bool from_within(const siginfo_t& info);

struct sigaction action(int signal);
void set_action(int signal, const struct sigaction& action);

void start();     // before main
void in_child();  // the program's own settings, for a process that is not controlled

// The system calls rt_sigaction, rt_sigqueueinfo and rt_tgsigqueueinfo; the kernel's value.
long kernel_action(int signal, const void* given, void* before, std::size_t bytes);
long queue_to_process(pid_t pid, int signal, const siginfo_t* info, const void* caller);
long queue_to_thread(pid_t pid, pid_t tid, int signal, const siginfo_t* info, const void* caller);

// All signals together are one object that whoever sends writes and whoever takes reads.
std::uint64_t object();
Location place();
// To a thread, or to the process if `to` is null. The caller takes its own with `take`.
void send(Thread* to, const siginfo_t& info);
// The current thread takes what it can; says whether a wait that allows it is to be interrupted.
bool take(Interruption allowed);
// What is blocked and pending for a thread.
Set pending(const Thread& t);
// Takes one of the set out of what is pending for the current thread. False if there is none.
bool accept(Set set, siginfo_t* info);

Set mask();
void set_mask(Set mask);
// What the kernel is to keep back, given what the threads block.
Set kernel_mask();

// These come from the kernel: they are read from a descriptor.
void leave_to_kernel(Set set);
bool left_to_kernel(int signal);

// Sends what has come from outside and was held back, or noted, since the last look.
void look_outside();
void send_noted();

}  // namespace rff::signals
