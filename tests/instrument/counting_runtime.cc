// A preloaded runtime for tests: fills the slots of every patched module with hooks that count, and
// writes the counts to the file named by RFF_TEST_COUNTS when the process ends.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "schedule/hook.h"

using namespace rff::hook;

namespace {

std::uint64_t accesses;
std::uint64_t complex_accesses;

__attribute__((target("general-regs-only"))) void CountAccess(std::uint64_t, std::uint32_t,
                                                              HookSlots*, HookFrame*) {
  __atomic_fetch_add(&accesses, 1, __ATOMIC_RELAXED);
}

__attribute__((target("general-regs-only"))) int CountComplex(HookRegisters*, std::uint32_t,
                                                              HookSlots*) {
  __atomic_fetch_add(&complex_accesses, 1, __ATOMIC_RELAXED);
  return kExecuteInstruction;
}

int Fill(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE || header.p_memsz < sizeof(ElfW(Nhdr)) + 4 + sizeof(HookNote)) {
      continue;
    }
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    if (note->n_namesz != sizeof(kNoteOwner) || note->n_type != kNoteType ||
        std::memcmp(at + sizeof(*note), kNoteOwner, sizeof(kNoteOwner)) != 0) {
      continue;
    }
    HookNote hooks;
    std::memcpy(&hooks, at + sizeof(*note) + sizeof(kNoteOwner), sizeof(hooks));
    auto* slots = reinterpret_cast<HookSlots*>(info->dlpi_addr + hooks.slots);
    slots->complex = reinterpret_cast<std::uint64_t>(&CountComplex);
    slots->access = reinterpret_cast<std::uint64_t>(&CountAccess);
  }
  return 0;
}

__attribute__((constructor)) void Start() {
  if (std::getenv("RFF_TEST_EMPTY_SLOTS") == nullptr) {
    dl_iterate_phdr(Fill, nullptr);
  }
}

__attribute__((destructor)) void End() {
  const char* path = std::getenv("RFF_TEST_COUNTS");
  if (path == nullptr) {
    return;
  }
  char line[64];
  int size =
      std::snprintf(line, sizeof(line), "%llu %llu\n", static_cast<unsigned long long>(accesses),
                    static_cast<unsigned long long>(complex_accesses));
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd >= 0) {
    (void)!write(fd, line, static_cast<std::size_t>(size));
    close(fd);
  }
}

}  // namespace
