// Walks up a stack by the unwind information of the code on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/memory/modules.h"
#include "libsched/support/capture.h"

namespace rff {

// Returns whether the address is in code of the executable or of a patched library, except for a
// linked sanitizer.
bool is_program_code(const Modules& modules, std::uint64_t address);

// Writes the frames from these registers on, innermost first, without those of the runtime. Each is
// an address inside the instruction that is executed or that called, in the original code. Returns
// the number of frames, at most `most`. Requires: the stack belongs to this thread or to one that
// does not run.
std::size_t walk_stack(const Modules& modules, const StopContext& from, std::uint64_t* frames,
                       std::size_t most);

// Returns the innermost of those frames that is code of the program; 0 if there is none.
std::uint64_t program_frame(const Modules& modules, const StopContext& from);

// Returns the registers of the frame that called the runtime, at the call.
StopContext registers_outside(const Modules& modules, const StopContext& from);

// Returns the return address one frame above `return_address`, which belongs to an active function;
// 0 if it is not found.
std::uint64_t frame_above(std::uint64_t return_address);

// Call from the fault handler. If a walk is under way, ends it, since the stack is corrupt, and
// does not return.
void end_walk_at_fault();

}  // namespace rff
