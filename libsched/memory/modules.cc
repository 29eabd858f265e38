#include "libsched/memory/modules.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "libsched/memory/site_code.h"
#include "libsched/support/arena.h"
#include "libsched/support/panic.h"
#include "libsched/support/places.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

const hook::HookNote* find_note(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& ph = info.dlpi_phdr[i];
    if (ph.p_type != PT_NOTE) {
      continue;
    }
    const char* p = reinterpret_cast<const char*>(info.dlpi_addr + ph.p_vaddr);
    const char* end = p + ph.p_memsz;
    std::size_t align = ph.p_align == 8 ? 8 : 4;
    while (p + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(p);
      const char* owner = p + sizeof *note;
      const char* desc = p + ((sizeof *note + note->n_namesz + align - 1) & ~(align - 1));
      if (note->n_type == hook::kNoteType && note->n_namesz == sizeof hook::kNoteOwner &&
          std::memcmp(owner, hook::kNoteOwner, sizeof hook::kNoteOwner) == 0) {
        return reinterpret_cast<const hook::HookNote*>(desc);
      }
      p = desc + ((note->n_descsz + align - 1) & ~(align - 1));
    }
  }
  return nullptr;
}

bool is_system(const std::string& path) {
  auto slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.starts_with("ld-linux") || name.starts_with("libc.so") ||
         name.starts_with("libsched.so") || name.starts_with("linux-vdso");
}

std::int8_t last_offset(const hook::SiteRecord& site) {
  if (site.size > kLongestAccess || (site.flags & hook::kLocked) != 0) {
    return FastSite::kNever;
  }
  return site.size <= 8 ? static_cast<std::int8_t>(8 - site.size) : std::int8_t{7};
}

PatchedModule* load_patched(const Module& m, const hook::HookNote& note, std::uint32_t index) {
  auto at = [&](std::uint64_t address) { return m.bias + address; };
  if (index >= kMaxPatchedModules) {
    panic("more than 128 patched modules are loaded, the most that can be named; patch fewer: ",
          m.path.c_str());
  }
  if (note.site_count > kMaxSitesOfModule) {
    panic("more than 16,777,215 memory accesses in one module, the most that can be named: ",
          m.path.c_str());
  }
  auto* p = new PatchedModule;
  p->index = index;
  p->hash = m.hash;
  p->bias = m.bias;
  p->slots = reinterpret_cast<hook::HookSlots*>(at(note.slots));
  p->sites = reinterpret_cast<const hook::SiteRecord*>(at(note.sites));
  p->site_count = note.site_count;
  p->details = reinterpret_cast<const hook::SiteDetail*>(at(note.details));
  p->address_map = reinterpret_cast<const hook::AddressMapEntry*>(at(note.address_map));
  p->address_map_count = note.address_map_count;
  p->code_begin = at(note.code_begin);
  p->code_end = at(note.code_end);
  p->branches = reinterpret_cast<const hook::BranchRecord*>(at(note.branches));
  p->branch_count = note.branch_count;
  p->block_hook.module = p->comparison_hook.module = p;
  p->sanitizer = note.sanitizer;
  if (note.joined.group_count != 0) {
    p->joined = reinterpret_cast<hook::JoinedSlots*>(at(note.joined.slots));
    p->group_enabled = reinterpret_cast<std::uint8_t*>(at(note.joined.enabled));
    p->groups = reinterpret_cast<const hook::GroupRecord*>(at(note.joined.groups));
    p->group_count = note.joined.group_count;
    p->fixed_codes = note.joined.fixed_codes != 0;
  }
  p->is_point.resize(note.site_count);
  p->fast.resize(note.site_count);
  p->chosen.resize(note.site_count);
  for (std::uint32_t i = 0; i < note.site_count; ++i) {
    const hook::SiteRecord& site = p->sites[i];
    p->fast[i] = {.code = site_code(p->index, i),
                  .last_offset = last_offset(site),
                  .bytes = static_cast<std::uint8_t>(site.size <= 8 ? (1u << site.size) - 1 : 0),
                  .wide = static_cast<std::uint8_t>(site.size > 8 ? site.size : 0),
                  .writes = site.kind != hook::SiteKind::kRead};
  }
  return p;
}

// Returns the path with which the program was started. Cached, since the program may remove its
// file.
const std::string& path_of_program() {
  static const std::string* known = [] {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    return new std::string(path, n > 0 ? static_cast<std::size_t>(n) : 0);
  }();
  return *known;
}

// Names exclude the folder: a run must not depend on where files are.
void name_module(Module& m, const dl_phdr_info& info) {
  UseArena guard(Arena::kRuntimeStack);
  m.path = m.main ? path_of_program() : info.dlpi_name;
  m.hash = module_hash(m.path);
  m.system = is_system(m.path);
  m.unwinder = m.path.find("/libgcc_s.so") != std::string::npos;
}

}  // namespace

const hook::SiteRecord* PatchedModule::first_from(std::uint32_t offset) const {
  return std::lower_bound(
      sites, sites + site_count, offset,
      [](const hook::SiteRecord& s, std::uint32_t wanted) { return s.address < wanted; });
}

void PatchedModule::set_fast_path(std::size_t site) {
  bool never = chosen[site] != 0 || stops_at(static_cast<std::uint32_t>(site));
  std::int8_t offset = never ? FastSite::kNever : last_offset(sites[site]);
  if (fast[site].last_offset == offset) {
    return;
  }
  fast[site].last_offset = offset;
  if (joins) {
    const hook::GroupRecord* next = std::upper_bound(
        groups, groups + group_count, site,
        [](std::size_t s, const hook::GroupRecord& g) { return s < g.first_site; });
    if (next != groups && site < (next - 1)->first_site + std::size_t{(next - 1)->sites}) {
      group_enabled[next - 1 - groups] = may_be_used(*(next - 1)) ? 1 : 0;
    }
  }
}

bool PatchedModule::may_be_used(const hook::GroupRecord& group) const {
  if (faults_ && (group.traits & hook::kGroupMayFault) == 0) {
    return false;
  }
  auto first = fast.begin() + group.first_site;
  return std::none_of(first, first + group.sites,
                      [](const FastSite& s) { return s.last_offset == FastSite::kNever; });
}

const hook::GroupRecord* PatchedModule::group_at(std::uint64_t code_address) const {
  std::uint64_t offset = code_address - code_begin;
  const hook::GroupRecord* next =
      std::upper_bound(groups, groups + group_count, offset,
                       [](std::uint64_t at, const hook::GroupRecord& g) { return at < g.begin; });
  return next == groups || offset >= (next - 1)->end ? nullptr : next - 1;
}

const hook::SiteRecord* PatchedModule::first_of_group(std::uint64_t code_address,
                                                      std::uint64_t original) const {
  if (const hook::GroupRecord* group = group_at(code_address)) {
    return sites + group->first_site;
  }
  const hook::SiteRecord* site = first_from(static_cast<std::uint32_t>(original));
  if (site == sites + site_count || bias + site->copy_address != code_address) {
    return nullptr;
  }
  auto number = static_cast<std::uint32_t>(site - sites);
  bool first =
      std::binary_search(groups, groups + group_count, hook::GroupRecord{.first_site = number},
                         [](const auto& a, const auto& b) { return a.first_site < b.first_site; });
  return first ? site : nullptr;
}

std::uint32_t PatchedModule::accesses_ahead(std::uint64_t code_address, std::uint64_t original,
                                            bool* writes) const {
  const hook::GroupRecord* at = group_at(code_address);
  if (at == nullptr) {
    return 0;
  }
  const hook::GroupRecord& group = *at;
  std::uint32_t ahead = 0;
  for (std::uint32_t i = 0; i < group.sites; ++i) {
    ahead += sites[group.first_site + i].address > original ? 1 : 0;
  }
  *writes = (group.traits & hook::kGroupWrites) != 0 && ahead != 0;
  return ahead;
}

void PatchedModule::mark(std::uint32_t offset, std::uint8_t point) {
  const hook::SiteRecord* it = first_from(offset);
  if (it != sites + site_count && it->address == offset) {
    auto site = static_cast<std::size_t>(it - sites);
    if (point == kNoPoint || is_point[site] != kPoint) {
      is_point[site] = point;
      set_fast_path(site);
    }
  }
}

void PatchedModule::choose(std::uint32_t begin, std::uint32_t end, bool entries, bool chosen_now) {
  for (const hook::SiteRecord* it = first_from(begin);
       it != sites + site_count && it->address < end; ++it) {
    if (entries && (it->flags & hook::kFirst) == 0) {
      continue;
    }
    auto site = static_cast<std::size_t>(it - sites);
    chosen[site] = chosen_now ? 1 : 0;
    set_fast_path(site);
  }
}

// Writes only if the value differs: otherwise each child of the fork server would copy the page.
template <typename T>
static void set(T& slot, T value) {
  if (slot != value) {
    slot = value;
  }
}

void PatchedModule::connect_world(const HookEntries& hooks) {
  set(slots->runtime, reinterpret_cast<std::uint64_t>(this));
  set(slots->complex, reinterpret_cast<std::uint64_t>(hooks.complex));
}

void PatchedModule::connect(const HookEntries& hooks, void (*access)()) {
  connect_world(hooks);
  set(enter, access);
  set(slots->access, reinterpret_cast<std::uint64_t>(static_cast<hook::AccessHook*>(this)));
  if (branch_count != 0) {
    auto address = [](hook::AccessHook& hook) { return reinterpret_cast<std::uint64_t>(&hook); };
    set(block_hook.enter, reinterpret_cast<void (*)()>(hooks.block));
    set(comparison_hook.enter, reinterpret_cast<void (*)()>(hooks.comparison));
    set(slots->block, address(block_hook));
    set(slots->comparison, address(comparison_hook));
  }
}

void PatchedModule::join(const HookEntries& hooks, const JoinedPlaces& places) {
  bool now = places.steps != nullptr && group_count != 0 &&
             (!fixed_codes || site_code(index, 0) == hook::kFirstCode);
  if (joins == now && faults_ == places.faults) {
    return;
  }
  joins = now;
  faults_ = places.faults;
  if (now) {
    auto address = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
    set(joined->thread_at, address(places.thread));
    set(joined->steps_at, address(places.steps));
    set(joined->hash_at, address(places.hash));
    set(joined->cache, address(places.cache));
    set(joined->eras_at, address(places.eras));
    set(joined->histories_at, address(places.histories));
    set(joined->late, address(places.late));
    set(joined->inside, address(places.inside));
    set(joined->known, places.known);
    set(joined->renew, reinterpret_cast<std::uint64_t>(hooks.renew));
    set(joined->stack, std::uint64_t{places::kRuntimeStackEnd});
    set(joined->code_base, site_code(index, 0));
  }
  for (std::uint64_t i = 0; i < group_count; ++i) {
    set(group_enabled[i], static_cast<std::uint8_t>(now && may_be_used(groups[i]) ? 1 : 0));
  }
}

void PatchedModule::disconnect() {
  if (joins) {
    std::fill_n(group_enabled, group_count, std::uint8_t{0});
    joins = false;
  }
  slots->access = 0;
  slots->complex = 0;
  slots->block = 0;
  slots->comparison = 0;
}

bool Modules::refresh() {
  UseArena guard(Arena::kMain);
  struct Found {
    std::vector<Module> modules;
    std::vector<const hook::HookNote*> notes;
    unsigned long long loads = 0;
  } found;
  RFF_REAL(dl_iterate_phdr)
  (
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* f = static_cast<Found*>(data);
        f->loads = info->dlpi_adds;
        Module m;
        m.bias = info->dlpi_addr;
        m.begin = ~std::uint64_t{0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& ph = info->dlpi_phdr[i];
          if (ph.p_type == PT_LOAD) {
            m.begin = std::min<std::uint64_t>(m.begin, m.bias + ph.p_vaddr);
            m.end = std::max<std::uint64_t>(m.end, m.bias + ph.p_vaddr + ph.p_memsz);
          }
        }
        m.main = f->modules.empty();
        name_module(m, *info);
        f->modules.push_back(std::move(m));
        f->notes.push_back(find_note(*info));
        return 0;
      },
      &found);
  if (found.loads == loads_) {
    return false;
  }
  loads_ = found.loads;
  for (std::size_t i = 0; i < found.modules.size(); ++i) {
    Module& m = found.modules[i];
    if (found.notes[i] == nullptr || found.notes[i]->version != hook::kHookVersion) {
      continue;
    }
    for (PatchedModule* known : patched_) {
      if (known->bias == m.bias && known->hash == m.hash) {
        m.patched = known;
      }
    }
    if (m.patched == nullptr) {
      m.patched = load_patched(m, *found.notes[i], static_cast<std::uint32_t>(patched_.size()));
      m.patched->first_branch = static_cast<std::uint32_t>(branch_count());
      patched_.push_back(m.patched);
    }
  }
  modules_ = std::move(found.modules);
  std::sort(modules_.begin(), modules_.end(),
            [](const Module& a, const Module& b) { return a.begin < b.begin; });
  return true;
}

bool Modules::commit_fault(std::uint64_t* rip, std::uint8_t* loaded) const {
  for (const PatchedModule* p : patched_) {
    for (std::uint64_t i = 0; i < p->group_count; ++i) {
      const hook::GroupRecord& group = p->groups[i];
      if (p->code_begin + group.commit_load == *rip) {
        *rip = p->code_begin + group.commit_resume;
        *loaded = group.commit_register;
        return true;
      }
    }
  }
  return false;
}

void Modules::leave_group(std::uint64_t* rip, std::uint64_t* flags) const {
  // A hook need not preserve flags that the program does not read, and none do before a group.
  constexpr std::uint64_t kOfResults = 0x8d5;
  for (const PatchedModule* p : patched_) {
    if (*rip < p->code_begin || *rip >= p->code_end) {
      continue;
    }
    if (const auto* site = p->first_of_group(*rip, original_code(*rip) - p->bias)) {
      *rip = p->bias + site->copy_address;
      *flags &= ~kOfResults;
    }
  }
}

const std::string& Modules::main_path() const { return path_of_program(); }

const Module* Modules::find(std::uint64_t address) const {
  auto it = std::upper_bound(modules_.begin(), modules_.end(), address,
                             [](std::uint64_t a, const Module& m) { return a < m.begin; });
  if (it == modules_.begin()) {
    return nullptr;
  }
  --it;
  return address < it->end ? &*it : nullptr;
}

std::uint64_t Modules::original_code(std::uint64_t address) const {
  for (const PatchedModule* p : patched_) {
    if (address < p->code_begin || address >= p->code_end || p->address_map_count == 0) {
      continue;
    }
    const auto* end = p->address_map + p->address_map_count;
    const auto* it = std::upper_bound(
        p->address_map, end, address - p->bias,
        [](std::uint64_t a, const hook::AddressMapEntry& e) { return a < e.copy; });
    return it == p->address_map ? address : p->bias + (it - 1)->original;
  }
  return address;
}

CodeName Modules::name(std::uint64_t code_address) const {
  std::uint64_t address = original_code(code_address);
  const Module* m = find(address);
  return m == nullptr ? CodeName{}
                      : CodeName{m->hash, static_cast<std::uint32_t>(address - m->bias)};
}

}  // namespace rff
