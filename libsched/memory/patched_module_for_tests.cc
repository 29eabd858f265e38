#include "libsched/memory/patched_module_for_tests.h"

#include <link.h>

namespace rff {
namespace {

using hook::SiteKind;

hook::SiteRecord site(std::uint64_t address, SiteKind kind, std::uint16_t size,
                      std::uint8_t flags) {
  hook::SiteRecord record{};
  record.address = address;
  record.kind = kind;
  record.flags = flags;
  record.size = size;
  record.length = 4;
  record.detail = hook::kNoDetail;
  return record;
}

const hook::SiteRecord sites[] = {
    site(0x100, SiteKind::kRead, 8, 0),
    site(0x104, SiteKind::kRead, 8, 0),
    site(0x108, SiteKind::kRead, 4, 0),
    site(0x110, SiteKind::kWrite, 8, 0),
    site(0x114, SiteKind::kWrite, 8, 0),
    site(0x118, SiteKind::kWrite, 4, 0),
    site(0x120, SiteKind::kReadModifyWrite, 8, 0),
    site(0x124, SiteKind::kReadModifyWrite, 8, hook::kLocked),
    site(0x128, SiteKind::kCompareExchange, 8, hook::kLocked),
    site(0x130, SiteKind::kString, 1, 0),
    site(0x138, SiteKind::kRead, 32, 0),
    site(0x13c, SiteKind::kWrite, 32, 0),
};
static_assert(std::size(sites) == kSiteCount);

const hook::BranchRecord branches[] = {
    {0x200, hook::BranchKind::kBlock, 0, 0, {}},
    {0x210, hook::BranchKind::kBlock, 0, 0, {}},
    {0x220, hook::BranchKind::kComparison, 4, 0, {}},
    {0x230, hook::BranchKind::kComparison, 1, hook::kConstant, {}},
    {0x240, hook::BranchKind::kComparison, 8, hook::kSwapped, {}},
};
static_assert(std::size(branches) == kBranchCount);

hook::HookSlots slots;
hook::JoinedSlots joined_slots;
std::uint8_t group_enabled[3];
const hook::GroupRecord groups[] = {
    {kRead, 3, 0, 0, 0, 0, 0x10, 0x20},
    {kWrite, 1, hook::kGroupWrites | hook::kGroupMayFault, 0, 0, 0, 0x30, 0x34},
    {kUpdate, 2, hook::kGroupWrites, 0, 0, 0, 0x40, 0x50},  // no real group has a locked access
};

}  // namespace
}  // namespace rff

// An ELF note whose descriptor is filled in at run time: it holds link-time addresses, which the
// compiler does not know.
static_assert(sizeof(rff::hook::HookNote) == 200 && rff::hook::kNoteType == 1);
asm(R"(
  .pushsection .note.rff, "aw", @note
  .balign 8
  .long 4, 200, 1
  .asciz "RFF"
rff_note_for_tests:
  .zero 200
  .popsection
)");
extern "C" __attribute__((visibility("hidden"))) rff::hook::HookNote rff_note_for_tests;

namespace rff {

std::unique_ptr<Modules> modules_of_test(bool with_branches) {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uint64_t*>(result) = info->dlpi_addr;
        return 1;  // the first one is the program
      },
      &bias);
  auto link_time = [bias](const void* p) { return reinterpret_cast<std::uint64_t>(p) - bias; };
  hook::HookNote& note = rff_note_for_tests;
  note.version = hook::kHookVersion;
  note.slots = link_time(&slots);
  note.sites = link_time(sites);
  note.site_count = kSiteCount;
  note.branches = with_branches ? link_time(branches) : 0;
  note.branch_count = with_branches ? std::size(branches) : 0;
  note.joined = {link_time(&joined_slots), link_time(group_enabled), link_time(groups),
                 std::size(groups), 1};
  note.code_begin = note.code_end = std::uint64_t{1} << 40;  // no code is a copy
  auto modules = std::make_unique<Modules>();
  modules->refresh();
  return modules;
}

PatchedModule& patched(const Modules& modules) { return *modules.patched().at(0); }

std::uint32_t site_code(Site site) { return site + 1; }

}  // namespace rff
