// Decides what happens to the old code of copied functions: which instructions stay and which bytes
// become jumps to the copy.
//
// The old body is dead except where execution can still enter it: at entries and after calls, which
// stay in place so that return addresses are the original ones. From such a point the old code may
// run on as long as it touches no memory and does not branch; before it would, a jump leads to the
// copy: five bytes, or two bytes that lead to a five-byte jump (an island) in dead bytes nearby.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/program.h"

namespace rff::instrument::builtin {

struct Redirect {
  std::uint64_t at = 0;
  std::uint32_t to = 0;      // instruction whose copy the jump leads to
  std::uint64_t island = 0;  // 0: five bytes at `at`; else two bytes there, five here
};

struct Redirects {
  std::vector<bool> copied;  // per function
  std::vector<bool> hooked;  // per site of the program
  std::vector<bool>
      branches;  // per instruction: whether its branch hooks are emitted; may be empty
  std::vector<Redirect> jumps;
  // Calls through memory that must report at their old place: each becomes a call of a thunk that
  // reports and jumps on through memory.
  std::vector<std::uint32_t> thunks;  // instructions
};

// Functions without room for their jumps get `left_alone` set.
Redirects place_redirects(Program& program, const std::vector<bool>& entries);

}  // namespace rff::instrument::builtin
