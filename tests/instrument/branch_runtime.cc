// A preloaded runtime for tests: writes the comparisons that the main program makes, and how many
// blocks it enters, to the file named by RFF_TEST_BRANCHES when the process ends.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "instrument/patched_modules.h"
#include "schedule/hook_entry.h"

using namespace rff::hook;

RFF_ACCESS_ENTRY(access_entry, on_access);
RFF_ACCESS_ENTRY(block_entry, on_block);
RFF_COMPARISON_ENTRY(comparison_entry, on_comparison);

namespace {

struct Made {
  std::uint32_t number;
  std::uint64_t first, second;
};
constexpr int kMost = 4096;
Made made[kMost];
int count;
unsigned long long blocks;

AccessHook access_hook{access_entry};
AccessHook block_hook{block_entry};
AccessHook comparison_hook{comparison_entry};
const BranchRecord* records;

std::uint64_t address(AccessHook& hook) { return reinterpret_cast<std::uint64_t>(&hook); }

__attribute__((constructor)) void start() {
  rff::instrument::for_each_patched_module([](const rff::instrument::PatchedModule& module) {
    module.slots()->access = address(access_hook);
    module.slots()->block = address(block_hook);
    module.slots()->comparison = address(comparison_hook);
    records = reinterpret_cast<const BranchRecord*>(module.bias + module.note.branches);
  });
}

__attribute__((destructor)) void end() {
  const char* path = std::getenv("RFF_TEST_BRANCHES");
  int fd = path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return;
  }
  dprintf(fd, "%llu blocks\n", blocks);
  for (int i = 0; i < count; ++i) {
    const BranchRecord& record = records[made[i].number];
    dprintf(fd, "%llx %u %u %llx %llx\n", static_cast<unsigned long long>(record.address),
            record.width, record.flags, static_cast<unsigned long long>(made[i].first),
            static_cast<unsigned long long>(made[i].second));
  }
  close(fd);
}

}  // namespace

#define NO_VECTORS extern "C" __attribute__((target("general-regs-only")))

NO_VECTORS void on_access(std::uint64_t, std::uint32_t, AccessHook*) {}
NO_VECTORS void on_block(std::uint64_t, std::uint32_t, AccessHook*) { ++blocks; }
NO_VECTORS void on_comparison(std::uint64_t first, std::uint32_t number, std::uint64_t second,
                              AccessHook*) {
  if (count < kMost) {
    made[count++] = {number, first, second};
  }
}
