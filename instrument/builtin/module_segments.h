// The two segments added to a patched module: one for the slots, and one for all that is only read.
// Code and tables share a segment, because a process that runs the code mostly needs the tables
// too, and the kernel maps both at once.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/branch_sites.h"
#include "instrument/builtin/code_buffer.h"
#include "instrument/builtin/joined_check.h"
#include "instrument/builtin/unwind.h"
#include "instrument/output.h"
#include "instrument/patch_plan.h"

namespace rff::instrument::builtin {

inline constexpr std::uint32_t kBuiltinBackend = 0;
inline constexpr std::uint32_t kE9PatchBackend = 1;

// The order is: the slots, tables of known size, the code, tables whose size depends on the code.
struct ModuleLayout {
  // Reserves `groups` bytes beside the slots.
  ModuleLayout(OutputFile& output, const PatchPlan& plan, const BranchPlan& branch_plan,
               std::size_t groups);
  std::uint64_t map_address(const CodeBuffer& code) const;
  std::uint64_t unwind_address(const CodeBuffer& code, std::size_t map_entries) const;

  std::uint64_t slots;
  std::uint64_t note;
  std::uint64_t sites;
  std::uint64_t details;
  std::uint64_t branches;  // 0: none
  std::uint64_t code;
  JoinedAddresses joined;
  std::uint64_t groups;
  std::size_t group_count;
};

// A module's statement about its groups.
struct JoinedTables {
  std::vector<hook::GroupRecord> groups;
  bool fixed_codes = false;
};

void add_module_segments(const ModuleLayout& layout, std::uint32_t backend, const PatchPlan& plan,
                         const BranchPlan& branches, const CodeBuffer& code,
                         const std::vector<hook::AddressMapEntry>& map, const UnwindTables& unwind,
                         const hook::SanitizerNote& sanitizer, const JoinedTables& joined,
                         OutputFile& output);

}  // namespace rff::instrument::builtin
