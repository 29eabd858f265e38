// Finds the patched modules of this process, as a runtime has to.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstring>

#include "schedule/hook.h"

namespace rff::instrument {

struct PatchedModule {
  std::uint64_t bias;
  hook::HookNote note;
  hook::HookSlots* slots() const { return reinterpret_cast<hook::HookSlots*>(bias + note.slots); }
  const hook::SiteRecord* sites() const {
    return reinterpret_cast<const hook::SiteRecord*>(bias + note.sites);
  }
  const hook::SiteDetail* details() const {
    return reinterpret_cast<const hook::SiteDetail*>(bias + note.details);
  }
  const hook::AddressMapEntry* address_map() const {
    return reinterpret_cast<const hook::AddressMapEntry*>(bias + note.address_map);
  }
};

// Calls `visit(const PatchedModule&)` for each patched module.
template <typename Visit>
void for_each_patched_module(Visit visit) {
  auto one = [](dl_phdr_info* info, std::size_t, void* data) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
      if (header.p_type != PT_NOTE ||
          header.p_memsz < sizeof(ElfW(Nhdr)) + sizeof(hook::kNoteOwner) + sizeof(hook::HookNote)) {
        continue;
      }
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      if (note.n_namesz == sizeof(hook::kNoteOwner) && note.n_type == hook::kNoteType &&
          std::memcmp(at + sizeof(note), hook::kNoteOwner, sizeof(hook::kNoteOwner)) == 0) {
        PatchedModule module{info->dlpi_addr, {}};
        std::memcpy(&module.note, at + sizeof(note) + sizeof(hook::kNoteOwner),
                    sizeof(module.note));
        (*static_cast<Visit*>(data))(module);
      }
    }
    return 0;
  };
  dl_iterate_phdr(one, &visit);
}

}  // namespace rff::instrument
