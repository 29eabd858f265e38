// Whose fault it is: the program's code among that of libraries and of the runtime.
#pragma once

#include <cstdint>

#include "libsched/memory/modules.h"

namespace rff {

// Code of the executable or of a patched library, but not of a sanitizer in it.
bool is_program_code(const Modules& modules, std::uint64_t address);

// Goes up the stack from here, through signal handlers too, to the first code of the program. An
// address inside the instruction that called; 0 if none is found.
std::uint64_t program_frame(const Modules& modules);

// The return address one frame further up than `return_address`, which is one of a function that is
// being executed; 0 if it is not found.
std::uint64_t frame_above(std::uint64_t return_address);

// A stack may be broken: a fault on the way up ends the search (and then this does not return).
void end_search_at_fault();

}  // namespace rff
