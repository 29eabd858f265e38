#include "instrument/builtin/rewriter.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "instrument/builtin/copier.h"
#include "instrument/builtin/module_segments.h"
#include "instrument/builtin/redirect.h"
#include "instrument/builtin/stubs.h"
#include "instrument/builtin/unwind.h"
#include "instrument/entries.h"
#include "instrument/symbol_names.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kReach = std::uint64_t{1} << 31;
constexpr std::size_t kMostSites = 1 << 20;  // of a module whose accesses are joined

std::vector<std::uint8_t> jump_bytes(std::uint64_t from, std::uint64_t to) {
  CodeBuffer code(from);
  code.jump(to);
  return code.bytes();
}

void patch_old_code(const Program& program, const Redirects& redirects, const Copies& copies,
                    OutputFile& output) {
  for (const Thunk& thunk : copies.thunks) {
    const Instruction& in = program.instructions()[thunk.instruction];
    CodeBuffer code(in.address);
    while (code.here() + 5 < in.end()) {
      code.bytes({0x90});
    }
    code.call(thunk.address);
    output.patch(in.address, code.bytes());
  }
  for (const Redirect& redirect : redirects.jumps) {
    std::uint64_t copy = copies.placements[redirect.to].hook;
    if (redirect.island == 0) {
      output.patch(redirect.at, jump_bytes(redirect.at, copy));
      continue;
    }
    auto distance = static_cast<std::uint8_t>(redirect.island - (redirect.at + 2));
    output.patch(redirect.at, {0xeb, distance});
    output.patch(redirect.island, jump_bytes(redirect.island, copy));
  }
}

// The map is sorted by copy address because functions are copied in the order of their addresses.
std::vector<hook::AddressMapEntry> make_address_map(const Program& program, const Copies& copies) {
  const std::vector<Placement>& placements = copies.placements;
  std::vector<hook::AddressMapEntry> map;
  auto joined = copies.joined.begin();
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (placements[i].copy == 0) {
      continue;
    }
    map.push_back({placements[i].hook, program.instructions()[i].address});
    if (joined != copies.joined.end() && joined->first == i) {
      for (std::size_t k = 0; k < joined->copies.size(); ++k) {
        map.push_back({joined->copies[k], program.instructions()[i + k].address});
      }
      map.push_back({joined->end, program.instructions()[i].address});
      ++joined;
    }
  }
  for (const Thunk& thunk : copies.thunks) {
    map.push_back({thunk.address, program.instructions()[thunk.instruction].address});
  }
  return map;
}

// Returns whether the file is started by itself, so that it is the first of all modules.
bool is_program(const ElfFile& file) {
  const std::vector<Elf64_Phdr>& segments = file.segments();
  return std::any_of(segments.begin(), segments.end(),
                     [](const Elf64_Phdr& s) { return s.p_type == PT_INTERP; });
}

// Returns whether the module may handle faults. If it is another one that does, the runtime uses
// only those groups that may fault.
bool sets_handlers(const ElfFile& file) {
  constexpr std::string_view kSetters[] = {"sigaction", "signal", "bsd_signal", "__sysv_signal",
                                           "sigset"};
  std::vector<std::string_view> names = symbol_names(file);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::find(std::begin(kSetters), std::end(kSetters), name) != std::end(kSetters);
  });
}

std::uint8_t traits_of(const Group& group) {
  bool may_fault = group.members.size() == 1 && group.leaves_traces && group.dead == 0;
  return static_cast<std::uint8_t>((group.writes ? hook::kGroupWrites : 0) |
                                   (may_fault ? hook::kGroupMayFault : 0));
}

JoinedTables joined_tables(const Program& program, const PatchPlan& plan, const Joining& joining,
                           const Copies& copies, std::uint64_t code_begin) {
  JoinedTables tables{{}, joining.module.fixed_codes};
  for (std::size_t i = 0; i < joining.groups.size(); ++i) {
    const Group& group = joining.groups[i];
    const JoinedCode& code = copies.joined[i];
    tables.groups.push_back({plan.number_of(program.instructions()[group.first].site),
                             static_cast<std::uint16_t>(group.members.size()), traits_of(group),
                             code.commit_register,
                             static_cast<std::uint32_t>(code.commit_load - code_begin),
                             static_cast<std::uint32_t>(code.commit_resume - code_begin),
                             static_cast<std::uint32_t>(code.copies.front() - code_begin),
                             static_cast<std::uint32_t>(code.end - code_begin)});
  }
  return tables;
}

std::vector<CopiedFunction> copied_functions(const Program& program, const Redirects& redirects,
                                             const Copies& copies) {
  std::vector<CopiedFunction> functions;
  for (std::uint32_t f = 0; f < program.functions().size(); ++f) {
    if (redirects.copied[f]) {
      std::size_t number = functions.size();
      std::uint64_t begin = copies.starts[number];
      functions.push_back({program.functions()[f].begin, begin, copies.starts[number + 1] - begin});
    }
  }
  return functions;
}

// Returns a bound of the size of all copies.
std::uint64_t most_code(const Program& program, bool join) {
  return program.instructions().size() * (program.has_branches() ? 128 : 64) +
         (join ? program.sites().size() * 1024 : 0);
}

// Copies lie behind everything else, so their instructions' targets must still be within 32 bits.
void check_reach(Program& program, std::uint64_t code_begin, bool join) {
  std::uint64_t code_end = code_begin + most_code(program, join);
  for (const Instruction& in : program.instructions()) {
    bool refers = in.displacement_offset != 0 || (in.flow != Flow::kNext && in.target != 0);
    bool reached = in.target + kReach > code_end && in.target < code_begin + kReach;
    if (refers && !reached) {
      Function& function = program.functions()[in.function];
      if (function.left_alone.empty()) {
        function.left_alone = "refers to memory that is out of reach of a copy";
      }
    }
  }
}

}  // namespace

Result<Rewritten> rewrite(Program& program, OutputFile& output, bool join) {
  std::uint64_t tables_bound =
      output.headers_size() + 5 * OutputFile::kPage +
      program.sites().size() * (sizeof(hook::SiteRecord) + sizeof(hook::SiteDetail));
  if (program.has_branches()) {
    tables_bound += program.instructions().size() * 2 * sizeof(hook::BranchRecord);
  }
  std::uint64_t code_bound = output.headers_address() + tables_bound;
  auto fits = [&] { return code_bound + most_code(program, join) - program.text_begin() < kReach; };
  // A block of --branches reports itself.
  join = join && !program.has_branches() && program.sites().size() < kMostSites && fits();
  if (join) {
    code_bound += program.sites().size() * (sizeof(hook::GroupRecord) + 1);
  }
  if (!fits()) {
    return Error{"is too large: copies would be out of reach of a 32-bit jump"};
  }
  check_reach(program, code_bound, join);
  std::vector<bool> entries = find_entries(program);
  Redirects redirects = place_redirects(program, entries);
  PatchPlan plan(program, redirects.hooked);
  BranchPlan branches(program, redirects.branches);
  if (plan.records().empty()) {
    return Error{"has no memory access that can be hooked"};
  }

  Joining joining;
  if (join) {
    joining.groups = find_groups(program, redirects, plan, !sets_handlers(program.file()));
  }
  ModuleLayout layout(output, plan, branches, joining.groups.size());
  ModuleAddresses module{layout.slots, layout.sites, layout.branches};
  CodeBuffer code(layout.code);
  Stubs stubs = emit_stubs(code, module);
  if (!joining.groups.empty()) {
    joining.module = layout.joined;
    joining.module.fixed_codes = is_program(program.file());
    joining.stubs = emit_joined_stubs(layout.joined, code);
  }
  Copies copies = emit_copies(program, redirects, stubs, plan, branches, joining, code);
  patch_old_code(program, redirects, copies, output);
  std::vector<hook::AddressMapEntry> map = make_address_map(program, copies);
  std::uint64_t unwind_address = layout.unwind_address(code, map.size());
  UnwindTables unwind = build_unwind_tables(
      {program, redirects.copied, copies, stubs, module, joining.stubs}, unwind_address);
  add_module_segments(layout, kBuiltinBackend, plan, branches, code, map, unwind, program.sanitizer,
                      joined_tables(program, plan, joining, copies, layout.code), output);
  output.describe_copies(layout.code, code.size(), copied_functions(program, redirects, copies));
  return Rewritten{std::move(plan), std::move(branches), std::move(redirects.hooked),
                   joining.groups.size()};
}

}  // namespace rff::instrument::builtin
