#include "instrument/builtin/module_segments.h"

#include <cstring>

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kCodeAlignment = 64;

std::uint64_t align(std::uint64_t value, std::uint64_t to) { return (value + to - 1) & ~(to - 1); }

template <typename T>
void put(std::vector<std::uint8_t>& bytes, std::uint64_t at, const T* data, std::size_t count) {
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

}  // namespace

ModuleLayout::ModuleLayout(OutputFile& output, const PatchPlan& plan, const BranchPlan& branch_plan,
                           std::size_t groups_of_module)
    : group_count(groups_of_module) {
  slots = output.writable_address();
  joined.slots = slots + sizeof(hook::HookSlots);
  joined.enabled = joined.slots + sizeof(hook::JoinedSlots);
  output.set_writable_size(joined.enabled + group_count - slots);
  note = align(output.headers_address() + output.headers_size(), 16);
  sites = align(note + sizeof(NoteBytes), 16);
  details = sites + plan.records().size() * sizeof(hook::SiteRecord);
  std::uint64_t end = details + plan.details().size() * sizeof(hook::SiteDetail);
  branches = branch_plan.empty() ? 0 : end;
  groups = end + branch_plan.records().size() * sizeof(hook::BranchRecord);
  code = align(groups + group_count * sizeof(hook::GroupRecord), kCodeAlignment);
}

std::uint64_t ModuleLayout::map_address(const CodeBuffer& buffer) const {
  return align(buffer.here(), alignof(hook::AddressMapEntry));
}

std::uint64_t ModuleLayout::unwind_address(const CodeBuffer& buffer,
                                           std::size_t map_entries) const {
  return map_address(buffer) + map_entries * sizeof(hook::AddressMapEntry);
}

void add_module_segments(const ModuleLayout& layout, std::uint32_t backend, const PatchPlan& plan,
                         const BranchPlan& branches, const CodeBuffer& code,
                         const std::vector<hook::AddressMapEntry>& map, const UnwindTables& unwind,
                         const hook::SanitizerNote& sanitizer, const JoinedTables& joined,
                         OutputFile& output) {
  NoteBytes note{};
  note.header = {sizeof(hook::kNoteOwner), sizeof(hook::HookNote), hook::kNoteType};
  std::memcpy(note.owner, hook::kNoteOwner, sizeof(note.owner));
  note.note.version = hook::kHookVersion;
  note.note.backend = backend;
  note.note.slots = layout.slots;
  note.note.sites = layout.sites;
  note.note.site_count = plan.records().size();
  note.note.details = layout.details;
  note.note.detail_count = plan.details().size();
  note.note.address_map = layout.map_address(code);
  note.note.address_map_count = map.size();
  note.note.code_begin = layout.code;
  note.note.code_end = code.here();
  note.note.branches = layout.branches;
  note.note.branch_count = branches.records().size();
  note.note.sanitizer = sanitizer;
  std::uint64_t writable = sizeof(hook::HookSlots);
  if (layout.group_count != 0) {
    note.note.joined = {layout.joined.slots, layout.joined.enabled, layout.groups,
                        layout.group_count, joined.fixed_codes ? std::uint64_t{1} : 0};
    writable = layout.joined.enabled + layout.group_count - layout.slots;
  }

  NewSegment slots{PF_R | PF_W, layout.slots, std::vector<std::uint8_t>(writable)};
  NewSegment rest{PF_R | PF_X, output.headers_address(), {}};
  auto put_at = [&](std::uint64_t address, const auto* data, std::size_t count) {
    put(rest.bytes, address - rest.address, data, count);
  };
  put_at(layout.note, &note, 1);
  put_at(layout.sites, plan.records().data(), plan.records().size());
  put_at(layout.details, plan.details().data(), plan.details().size());
  if (!branches.empty()) {
    put_at(layout.branches, branches.records().data(), branches.records().size());
  }
  put_at(layout.groups, joined.groups.data(), joined.groups.size());
  put_at(layout.code, code.bytes().data(), code.bytes().size());
  put_at(layout.map_address(code), map.data(), map.size());
  if (unwind.header_size != 0) {
    std::uint64_t address = layout.unwind_address(code, map.size());
    put_at(address, unwind.bytes.data(), unwind.bytes.size());
    output.move_unwind_tables(address, unwind.frames_size, address + unwind.header_offset,
                              unwind.header_size);
  }
  output.add_segment(std::move(slots));
  output.add_segment(std::move(rest));
  output.set_note(layout.note, sizeof(NoteBytes));
}

}  // namespace rff::instrument::builtin
