// The built-in backend: patches a module without help from another program.
#pragma once

#include <string>

#include "instrument/branch_sites.h"
#include "instrument/output.h"
#include "instrument/patch_plan.h"
#include "instrument/program.h"

namespace rff::instrument::builtin {

struct Rewritten {
  PatchPlan plan;
  BranchPlan branches;
  std::vector<bool> hooked;  // per site of the program
  std::size_t groups = 0;
};

// Adds the copies, tables and jumps to `output`. Functions that cannot be patched get `left_alone`
// set. `join`: lets inline checks report groups of accesses.
Result<Rewritten> rewrite(Program& program, OutputFile& output, bool join);

}  // namespace rff::instrument::builtin
