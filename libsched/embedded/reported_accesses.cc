// Accesses that the program's own code reports (rff_access): compiled with callbacks of a
// sanitizer, for which the harness has functions of its own (harness/callbacks).
#include "libsched/embedded/door.h"
#include "libsched/interpose/interpose.h"

using namespace rff;
using namespace rff::embedded;

namespace {

// Code that hooks already report.
bool is_hooked(const void* place) {
  auto address = reinterpret_cast<std::uint64_t>(place);
  for (const PatchedModule* m : runtime->process.modules.patched()) {
    if (address >= m->code_begin && address < m->code_end) {
      return true;
    }
  }
  return false;
}

}  // namespace

RFF_EXPORT void rff_expect_accesses() { door().kept().has_callbacks = true; }

RFF_EXPORT void rff_access(const void* address, std::size_t size, int kind, const void* place) {
  if (!controlled() || InsideRuntime::active() || size == 0 || is_hooked(place)) {
    return;
  }
  constexpr OpKind kOps[] = {OpKind::kRead, OpKind::kWrite, OpKind::kReadModifyWrite};
  runtime->run.accesses.range(runtime->run.execution.current(), kOps[kind],
                              reinterpret_cast<std::uint64_t>(address), size, runtime->code(place));
}
