#include "instrument/builtin/rewriter.h"

#include "instrument/builtin/copier.h"
#include "instrument/builtin/module_segments.h"
#include "instrument/builtin/redirect.h"
#include "instrument/builtin/stubs.h"
#include "instrument/builtin/unwind.h"
#include "instrument/entries.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kReach = std::uint64_t{1} << 31;

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
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (placements[i].copy != 0) {
      map.push_back({placements[i].hook, program.instructions()[i].address});
    }
  }
  for (const Thunk& thunk : copies.thunks) {
    map.push_back({thunk.address, program.instructions()[thunk.instruction].address});
  }
  return map;
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
std::uint64_t most_code(const Program& program) {
  return program.instructions().size() * (program.has_branches() ? 128 : 64);
}

// Copies lie behind everything else, so their instructions' targets must still be within 32 bits.
void check_reach(Program& program, std::uint64_t code_begin) {
  std::uint64_t code_end = code_begin + most_code(program);
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

Result<Rewritten> rewrite(Program& program, OutputFile& output) {
  std::uint64_t tables_bound =
      output.headers_size() + 5 * OutputFile::kPage +
      program.sites().size() * (sizeof(hook::SiteRecord) + sizeof(hook::SiteDetail));
  if (program.has_branches()) {
    tables_bound += program.instructions().size() * 2 * sizeof(hook::BranchRecord);
  }
  std::uint64_t code_bound = output.headers_address() + tables_bound;
  if (code_bound + most_code(program) - program.text_begin() >= kReach) {
    return Error{"is too large: copies would be out of reach of a 32-bit jump"};
  }
  check_reach(program, code_bound);
  std::vector<bool> entries = find_entries(program);
  Redirects redirects = place_redirects(program, entries);
  PatchPlan plan(program, redirects.hooked);
  BranchPlan branches(program, redirects.branches);
  if (plan.records().empty()) {
    return Error{"has no memory access that can be hooked"};
  }

  ModuleLayout layout(output, plan, branches);
  ModuleAddresses module{layout.slots, layout.sites, layout.branches};
  CodeBuffer code(layout.code);
  Stubs stubs = emit_stubs(code, module);
  Copies copies = emit_copies(program, redirects, stubs, plan, branches, code);
  patch_old_code(program, redirects, copies, output);
  std::vector<hook::AddressMapEntry> map = make_address_map(program, copies);
  std::uint64_t unwind_address = layout.unwind_address(code, map.size());
  UnwindTables unwind =
      build_unwind_tables({program, redirects.copied, copies, stubs, module}, unwind_address);
  add_module_segments(layout, kBuiltinBackend, plan, branches, code, map, unwind, program.sanitizer,
                      output);
  output.describe_copies(layout.code, code.size(), copied_functions(program, redirects, copies));
  return Rewritten{std::move(plan), std::move(branches), std::move(redirects.hooked)};
}

}  // namespace rff::instrument::builtin
