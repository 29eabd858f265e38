#include "instrument/builtin/module_segments.h"

#include <cstring>

namespace rff::instrument::builtin {

namespace {

constexpr std::uint64_t kCodeAlignment = 64;

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

}  // namespace

ModuleLayout::ModuleLayout(const OutputFile& output, const PatchPlan& plan) {
  slots = output.writable_address();
  note = Align(output.headers_address() + output.headers_size(), 16);
  sites = Align(note + sizeof(NoteBytes), 16);
  details = sites + plan.records().size() * sizeof(hook::SiteRecord);
  code = Align(details + plan.details().size() * sizeof(hook::SiteDetail), kCodeAlignment);
}

std::uint64_t ModuleLayout::MapAddress(const CodeBuffer& buffer) const {
  return Align(buffer.here(), alignof(hook::AddressMapEntry));
}

std::uint64_t ModuleLayout::UnwindAddress(const CodeBuffer& buffer, std::size_t map_entries) const {
  return MapAddress(buffer) + map_entries * sizeof(hook::AddressMapEntry);
}

void AddModuleSegments(const ModuleLayout& layout, std::uint32_t backend, const PatchPlan& plan,
                       const CodeBuffer& code, const std::vector<hook::AddressMapEntry>& map,
                       const UnwindTables& unwind, const hook::SanitizerNote& sanitizer,
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
  note.note.address_map = layout.MapAddress(code);
  note.note.address_map_count = map.size();
  note.note.code_begin = layout.code;
  note.note.code_end = code.here();
  note.note.sanitizer = sanitizer;

  NewSegment slots{PF_R | PF_W, layout.slots, std::vector<std::uint8_t>(sizeof(hook::HookSlots))};
  NewSegment rest{PF_R | PF_X, output.headers_address(), {}};
  auto put = [&](std::uint64_t address, const auto* data, std::size_t count) {
    Put(rest.bytes, address - rest.address, data, count);
  };
  put(layout.note, &note, 1);
  put(layout.sites, plan.records().data(), plan.records().size());
  put(layout.details, plan.details().data(), plan.details().size());
  put(layout.code, code.bytes().data(), code.bytes().size());
  put(layout.MapAddress(code), map.data(), map.size());
  if (unwind.header_size != 0) {
    std::uint64_t address = layout.UnwindAddress(code, map.size());
    put(address, unwind.bytes.data(), unwind.bytes.size());
    output.MoveUnwindTables(address, unwind.frames_size, address + unwind.header_offset,
                            unwind.header_size);
  }
  output.AddSegment(std::move(slots));
  output.AddSegment(std::move(rest));
  output.SetNote(layout.note, sizeof(NoteBytes));
}

}  // namespace rff::instrument::builtin
