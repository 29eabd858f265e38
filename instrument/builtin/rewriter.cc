#include "instrument/builtin/rewriter.h"

#include "instrument/builtin/copier.h"
#include "instrument/builtin/redirect.h"
#include "instrument/builtin/stubs.h"
#include "instrument/builtin/unwind.h"
#include "instrument/entries.h"
#include "instrument/unclaimed_code.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kReach = std::uint64_t{1} << 31;

std::uint64_t Align(std::uint64_t value, std::uint64_t to) { return (value + to - 1) & ~(to - 1); }

template <typename T>
void Put(std::vector<std::uint8_t>& bytes, std::uint64_t at, const T* data, std::size_t count) {
  if (bytes.size() < at + count * sizeof(T)) {
    bytes.resize(at + count * sizeof(T));
  }
  if (count != 0) {
    std::memcpy(bytes.data() + at, data, count * sizeof(T));
  }
}

struct NoteBytes {
  Elf64_Nhdr header;
  char owner[sizeof(hook::kNoteOwner)];
  hook::HookNote note;
};
static_assert(sizeof(NoteBytes) == sizeof(Elf64_Nhdr) + 4 + sizeof(hook::HookNote));

std::vector<std::uint8_t> JumpBytes(std::uint64_t from, std::uint64_t to) {
  CodeBuffer code(from);
  code.Jump(to);
  return code.bytes();
}

void PatchOldCode(const Program& program, const Redirects& redirects, const Copies& copies,
                  OutputFile& output) {
  for (const Thunk& thunk : copies.thunks) {
    const Instruction& in = program.instructions()[thunk.instruction];
    CodeBuffer code(in.address);
    while (code.here() + 5 < in.end()) {
      code.Bytes({0x90});
    }
    code.Call(thunk.address);
    output.Patch(in.address, code.bytes());
  }
  for (const Redirect& redirect : redirects.jumps) {
    std::uint64_t copy = copies.placements[redirect.to].hook;
    if (redirect.island == 0) {
      output.Patch(redirect.at, JumpBytes(redirect.at, copy));
      continue;
    }
    auto distance = static_cast<std::uint8_t>(redirect.island - (redirect.at + 2));
    output.Patch(redirect.at, {0xeb, distance});
    output.Patch(redirect.island, JumpBytes(redirect.island, copy));
  }
}

// Sorted by copy address because functions are copied in the order of their addresses.
std::vector<hook::AddressMapEntry> MakeAddressMap(const Program& program, const Copies& copies) {
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

// A copy lies behind everything else: what its instructions refer to must still be within 32 bits.
void CheckReach(Program& program, std::uint64_t code_begin) {
  constexpr std::uint64_t kMostPerInstruction = 64;
  std::uint64_t code_end = code_begin + program.instructions().size() * kMostPerInstruction;
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

Result<Rewritten> Rewrite(Program& program, OutputFile& output) {
  std::uint64_t tables_bound =
      output.headers_size() + sizeof(NoteBytes) + 4 * OutputFile::kPage +
      program.sites().size() * (sizeof(hook::SiteRecord) + sizeof(hook::SiteDetail));
  std::uint64_t code_bound = output.headers_address() + tables_bound;
  if (code_bound + program.instructions().size() * 64 - program.text_begin() >= kReach) {
    return Error{"is too large: copies would be out of reach of a 32-bit jump"};
  }
  ClaimReachableCode(program);
  CheckReach(program, code_bound);
  std::vector<bool> entries = FindEntries(program);
  Redirects redirects = PlaceRedirects(program, entries);
  PatchPlan plan(program, redirects.hooked);
  if (plan.records().empty()) {
    return Error{"has no memory access that can be hooked"};
  }

  // Read-only tables whose size is known, then the slots, then the code, then what depends on the
  // code.
  std::uint64_t note_address = Align(output.headers_address() + output.headers_size(), 16);
  std::uint64_t sites = Align(note_address + sizeof(NoteBytes), 16);
  std::uint64_t details = sites + plan.records().size() * sizeof(hook::SiteRecord);
  std::uint64_t tables_end = details + plan.details().size() * sizeof(hook::SiteDetail);
  std::uint64_t slots = Align(tables_end, OutputFile::kPage);
  std::uint64_t code_address = slots + OutputFile::kPage;

  CodeBuffer code(code_address);
  Stubs stubs = EmitStubs(code, {slots, sites});
  Copies copies = EmitCopies(program, redirects, stubs, plan, code);
  PatchOldCode(program, redirects, copies, output);
  std::vector<hook::AddressMapEntry> map = MakeAddressMap(program, copies);
  std::uint64_t map_address = Align(code.here(), OutputFile::kPage);

  NoteBytes note{};
  note.header = {sizeof(hook::kNoteOwner), sizeof(hook::HookNote), hook::kNoteType};
  std::memcpy(note.owner, hook::kNoteOwner, sizeof(note.owner));
  note.note.version = hook::kHookVersion;
  note.note.backend = 0;
  note.note.slots = slots;
  note.note.sites = sites;
  note.note.site_count = plan.records().size();
  note.note.details = details;
  note.note.detail_count = plan.details().size();
  note.note.address_map = map_address;
  note.note.address_map_count = map.size();
  note.note.code_begin = code_address;
  note.note.code_end = code.here();

  NewSegment tables{PF_R, output.headers_address(), {}};
  Put(tables.bytes, note_address - tables.address, &note, 1);
  Put(tables.bytes, sites - tables.address, plan.records().data(), plan.records().size());
  Put(tables.bytes, details - tables.address, plan.details().data(), plan.details().size());
  NewSegment slot_segment{PF_R | PF_W, slots, std::vector<std::uint8_t>(sizeof(hook::HookSlots))};
  NewSegment code_segment{PF_R | PF_X, code_address, code.bytes()};
  NewSegment map_segment{PF_R, map_address, {}};
  Put(map_segment.bytes, 0, map.data(), map.size());
  std::uint64_t unwind_address = Align(map_address + map_segment.bytes.size(), 8);
  UnwindTables unwind =
      BuildUnwindTables({program, redirects, plan, copies, stubs, {slots, sites}}, unwind_address);
  if (unwind.header_size != 0) {
    Put(map_segment.bytes, unwind_address - map_address, unwind.bytes.data(), unwind.bytes.size());
    output.MoveUnwindTables(unwind_address, unwind.frames_size,
                            unwind_address + unwind.header_offset, unwind.header_size);
  }
  output.AddSegment(std::move(tables));
  output.AddSegment(std::move(slot_segment));
  output.AddSegment(std::move(code_segment));
  output.AddSegment(std::move(map_segment));
  output.SetNote(note_address, sizeof(NoteBytes));
  return Rewritten{std::move(plan), std::move(redirects.hooked)};
}

}  // namespace rff::instrument::builtin
