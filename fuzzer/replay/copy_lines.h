// Source lines for the copies of code in a patched program, as a file that gdb loads beside it
// (add-symbol-file): patched code runs in its copies, which the program's own debug information
// does not know, so that without this no breakpoint on a line holds and nothing can be stepped.
#pragma once

#include <string>

#include "fuzzer/replay/debug_module.h"

namespace rff {

// An ELF file with functions and lines only; empty if the module is not patched or has no lines.
std::string copy_lines(DebugModule& module);

}  // namespace rff
