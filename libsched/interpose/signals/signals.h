// Signals that the program's threads send each other, as part of the schedule.
//
// The kernel sends none of them: a signal is kept until its thread takes it, which is an operation
// that the scheduler chooses like any other. A stopped thread takes the signal in place of its
// pending operation, and returns to that operation afterwards. A signal from outside the process is
// noted and then treated the same way. Only signals that the runtime needs itself, for findings,
// are delivered at once when an instruction causes them.
//
// A signal that ends the program is a finding if any part of the program sent it, by whatever
// means. A signal that another process sends from outside the run ends the run without a report.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <cstdint>

#include "libsched/engine/thread.h"

namespace rff::signals {

// One bit for each signal, in the kernel's format.
using Set = std::uint64_t;
inline Set bit(int signal) { return Set{1} << (signal - 1); }
inline Set to_set(const sigset_t& s) { return s.__val[0]; }
inline constexpr int kOfTheLibrary[] = {32, 33};  // the C library uses them itself
inline bool valid(int signal) { return signal >= 0 && signal < NSIG; }

// Returns whether the runtime needs the signal itself: its handler stays installed and passes it
// on.
bool ours(int signal);
bool program_handles(int signal);
// Calls the program's handler for a signal that an instruction or a real signal caused. Returns
// false if it must be handled by default.
bool deliver(int signal, siginfo_t* info, void* context);

// Returns whether a thread's stack for signals is in use and has the address.
bool contains(const stack_t& stack, std::uint64_t place);

// Returns whether the signal did not come from a process outside the run.
bool from_within(const siginfo_t& info);

struct sigaction action(int signal);
void set_action(int signal, const struct sigaction& action);

void start();     // call before main
void in_child();  // restores the program's own settings in a process that is not controlled

// Implement the system calls rt_sigaction, rt_sigqueueinfo and rt_tgsigqueueinfo. Return the
// kernel's value.
long kernel_action(int signal, const void* given, void* before, std::size_t bytes);
long queue_to_process(pid_t pid, int signal, const siginfo_t* info, const void* caller);
long queue_to_thread(pid_t pid, pid_t tid, int signal, const siginfo_t* info, const void* caller);

// All signals together are one object: a thread that sends writes it, a thread that takes reads it.
std::uint64_t object();
Location place();
// Sends to a thread, or to the process if `to` is null. The caller takes its own signals with
// `take`.
void send(Thread* to, const siginfo_t& info);
// The current thread takes the signals that it does not block. Returns whether a handler has run
// that interrupts a wait of kind `allowed`.
bool take(Interruption allowed);
// Returns the signals that are pending for a thread or for the process, blocked or not.
Set pending(const Thread& t);
// Removes one signal of the set from those pending for the current thread. Returns false if there
// is none.
bool accept(Set set, siginfo_t* info);

Set mask();
void set_mask(Set mask);
// Returns the signals that the kernel must hold back, given what the threads block.
Set kernel_mask();

// For signals that the program blocks and reads from a descriptor: the kernel keeps them and hands
// them out, also those that are pending now.
void leave_to_kernel(Set set);
bool left_to_kernel(int signal);
void give_to_kernel(const siginfo_t& info);
// What has been read from such a descriptor names the process as the program knows it.
void rename_process(signalfd_siginfo* read, std::size_t count);

// Send the signals from outside that the kernel has held back, or that the handler has noted.
void look_outside();
void send_noted();

}  // namespace rff::signals
