// Finds groups of accesses that one inline check can report (schedule/joined.h).
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/redirect.h"
#include "instrument/patch_plan.h"

namespace rff::instrument::builtin {

struct Group {
  std::uint32_t first = 0;  // the instruction of the first access; all between are in the group
  std::uint32_t last = 0;   // that of the last access
  std::vector<std::uint32_t> members;  // the instructions with accesses
  bool writes = false;                 // the last access may write
  // Members that are loads near each other, through the same registers; at least two, or none.
  std::vector<std::uint32_t> neighbors;
  std::int64_t lowest = 0;    // their lowest displacement
  std::uint32_t span = 0;     // bytes from there to the end of the highest
  bool keeps_flags = false;   // a hook before the last one keeps the flags, the last one does not
  bool leaves_traces = true;  // no hook in the same straight code follows that leaves its own
  // The registers that the check may use. The program has overwritten those in `dead` before it
  // reads them.
  std::vector<Reg> scratch;
  std::uint16_t dead = 0;
};

// Returns groups in the order of their instructions. Unless they may be `long_ones`, each has one
// access and may fault (hook::kGroupMayFault).
std::vector<Group> find_groups(const Program& program, const Redirects& redirects,
                               const PatchPlan& plan, bool long_ones);

}  // namespace rff::instrument::builtin
