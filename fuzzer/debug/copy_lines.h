// Source lines for the copies of code in a patched program. Patched code runs in its copies, which
// the program's own debug information does not cover: without this table gdb stops at no breakpoint
// on a line, and cannot step.
#pragma once

#include <cstdint>
#include <string>

#include "fuzzer/debug/debug_module.h"

namespace rff {

// Both empty if the module is not patched or has no lines.
struct CopyLines {
  std::string symbols;  // an ELF file for add-symbol-file
  std::string
      functions;  // for stepping.py: (original begin, end, copy begin, end, [(address, line)])
};
CopyLines copy_lines(DebugModule& module, std::uint64_t bias);

}  // namespace rff
