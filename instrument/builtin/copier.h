// Emits the copies of functions, with a call of the hook before every site.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/branch_sites.h"
#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/groups.h"
#include "instrument/builtin/inline_hook.h"
#include "instrument/builtin/joined_check.h"
#include "instrument/builtin/redirect.h"
#include "instrument/builtin/stubs.h"
#include "instrument/patch_plan.h"

namespace rff::instrument::builtin {

// The addresses of the copy of one original instruction.
struct Placement {
  std::uint64_t hook = 0;  // where branches to it lead: the inline code before it, or itself
  std::uint64_t own = 0;   // where those of its own function lead: an entry is no call for them
  std::uint64_t copy = 0;  // the instruction itself; 0 if its function is not copied
};

// Inline code before an instruction.
struct InlineCode {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  InlineShape shape;
};

// A call through memory that became a call of `address`.
struct Thunk {
  std::uint32_t instruction = 0;
  std::uint64_t address = 0;
  std::uint64_t end = 0;
  InlineCode hook;
};

// The code of a group before its copy with hooks.
struct JoinedCode {
  std::uint32_t first = 0;            // instruction
  std::vector<std::uint64_t> copies;  // of the instructions from the first on, without hooks
  std::uint64_t end = 0;              // of these copies
  std::uint64_t hooks = 0;            // where the copy with hooks begins
  std::uint64_t commit_load = 0, commit_resume = 0;  // see GroupRecord
  std::uint8_t commit_register = 0;
};

// Groups and what their checks need. Empty: nothing is joined.
struct Joining {
  std::vector<Group> groups;
  JoinedAddresses module;
  JoinedStubs stubs;
};

struct Copies {
  std::vector<Placement> placements;  // per instruction of the program
  std::vector<InlineCode> hooks;      // in copies of functions, in order
  std::vector<Thunk> thunks;
  std::vector<JoinedCode> joined;     // one for each group
  std::vector<std::uint64_t> starts;  // start of each copy, in order, and the end of the last
};

// Emits all copies into `code` and fills the plan's copy addresses.
Copies emit_copies(const Program& program, const Redirects& redirects, const Stubs& stubs,
                   PatchPlan& plan, const BranchPlan& branches, const Joining& joining,
                   CodeBuffer& code);

}  // namespace rff::instrument::builtin
