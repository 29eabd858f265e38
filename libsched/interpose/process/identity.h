// Process and thread ids as the program sees them: constant numbers that no kernel assigns.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace rff::identity {

inline constexpr pid_t kProcess = 5'000'000;  // a thread's id is this plus its index
inline constexpr pid_t kParent = kProcess - 1;
inline constexpr pid_t kGroup = kProcess - 2;  // process group and session

// Returns whether the id belongs to a thread of the program, or is 0 (the calling thread).
bool own_thread(pid_t tid);

// Returns the kernel's id of a process that the program, or a child of it, named.
pid_t real_process(pid_t seen);

// Call before a child is made: it knows the program by the number above.
void before_child();

}  // namespace rff::identity
