// Goes up a stack, by the unwind information of the code on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/memory/modules.h"
#include "libsched/support/capture.h"

namespace rff {

// Code of the executable or of a patched library, but not of a sanitizer in it.
bool is_program_code(const Modules& modules, std::uint64_t address);

// The frames from these registers on, innermost first, without those of the runtime: each an
// address inside the instruction that is executed or that called, where the original of the code
// is. Returns how many there are, at most `most`. The frames must be those of this thread or of one
// that does not run.
std::size_t walk_stack(const Modules& modules, const StopContext& from, std::uint64_t* frames,
                       std::size_t most);

// The first of those frames that is code of the program; 0 if none is.
std::uint64_t program_frame(const Modules& modules, const StopContext& from);

// The registers of the frame that called the runtime, as the call left them.
StopContext registers_outside(const Modules& modules, const StopContext& from);

// The return address one frame further up than `return_address`, which is one of a function that is
// being executed; 0 if it is not found.
std::uint64_t frame_above(std::uint64_t return_address);

// A stack may be broken: a fault on the way up ends the walk (and then this does not return).
void end_walk_at_fault();

}  // namespace rff
