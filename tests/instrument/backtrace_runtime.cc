// A runtime preloaded into a patched program: when the variable `marker` is written, it prints the
// stack as seen from inside the hook, as offsets in the executable.
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdio>

#include "instrument/patched_modules.h"
#include "schedule/hook_entry.h"

RFF_ACCESS_ENTRY(backtrace_entry, take_backtrace);

namespace {

rff::instrument::PatchedModule module;
std::uint64_t marker;

rff::hook::AccessHook access_hook{backtrace_entry};

__attribute__((constructor)) void start() {
  void* warm_up[4];
  backtrace(warm_up, 4);  // loads the unwinder
  marker = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "marker"));
  rff::instrument::for_each_patched_module(
      [](const rff::instrument::PatchedModule& found) { module = found; });
  module.slots()->access = reinterpret_cast<std::uint64_t>(&access_hook);
}

}  // namespace

extern "C" void take_backtrace(std::uint64_t address, std::uint32_t, rff::hook::AccessHook*) {
  if (address != marker) {
    return;
  }
  void* frames[64];
  int count = backtrace(frames, 64);
  std::printf("hook");
  for (int i = 0; i < count; ++i) {
    std::uint64_t offset = reinterpret_cast<std::uint64_t>(frames[i]) - module.bias;
    if (offset < 0x1000000) {
      std::printf(" %llx", static_cast<unsigned long long>(offset));
    }
  }
  std::printf("\n");
}
