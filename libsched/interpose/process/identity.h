// Process and thread ids as the program sees them: numbers that do not change, and that no kernel
// gives out.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace rff::identity {

inline constexpr pid_t kProcess = 5'000'000;  // threads: this plus their index
inline constexpr pid_t kParent = kProcess - 1;
inline constexpr pid_t kGroup = kProcess - 2;  // process group and session

// A thread of the program, or (0) the one that asks.
bool own_thread(pid_t tid);

// The kernel's number of a process that the program named.
pid_t real_process(pid_t seen);

}  // namespace rff::identity
