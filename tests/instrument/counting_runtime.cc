// A preloaded runtime for tests: fills the slots of every patched module with hooks that count, and
// writes the counts to the file named by RFF_TEST_COUNTS when the process ends.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "instrument/patched_modules.h"
#include "schedule/hook_entry.h"

using namespace rff::hook;

RFF_ACCESS_ENTRY(counting_entry, count_access);

namespace {

std::uint64_t accesses;
std::uint64_t complex_accesses;

AccessHook access_hook{counting_entry};

__attribute__((target("general-regs-only"))) int count_complex(HookRegisters*, std::uint32_t,
                                                               HookSlots*) {
  __atomic_fetch_add(&complex_accesses, 1, __ATOMIC_RELAXED);
  return kExecuteInstruction;
}

void fill() {
  rff::instrument::for_each_patched_module([](const rff::instrument::PatchedModule& module) {
    module.slots()->complex = reinterpret_cast<std::uint64_t>(&count_complex);
    module.slots()->access = reinterpret_cast<std::uint64_t>(&access_hook);
  });
}

__attribute__((constructor)) void start() {
  if (std::getenv("RFF_TEST_EMPTY_SLOTS") == nullptr) {
    fill();
  }
}

__attribute__((destructor)) void end() {
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

extern "C" __attribute__((target("general-regs-only"))) void count_access(std::uint64_t,
                                                                          std::uint32_t,
                                                                          AccessHook*) {
  __atomic_fetch_add(&accesses, 1, __ATOMIC_RELAXED);
}

// Programs that load libraries call this function afterwards.
extern "C" __attribute__((visibility("default"))) void test_runtime_fill_slots() { fill(); }
