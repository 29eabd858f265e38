// For code that a signal runs between any two instructions: checks of groups may be in progress.
#pragma once

#include <cstddef>
#include <vector>

#include "libsched/memory/modules.h"

namespace rff {

// Calls `f` and then puts back what the checks of the modules from this one on keep in memory.
template <typename F>
void keeping_checks(const std::vector<PatchedModule*>& patched, F&& f, std::size_t module = 0) {
  if (module == patched.size()) {
    f();
  } else if (hook::JoinedSlots* joined = patched[module]->joined; joined == nullptr) {
    keeping_checks(patched, f, module + 1);
  } else {
    hook::JoinedSlots kept = *joined;
    keeping_checks(patched, f, module + 1);
    joined->put_back(kept);
  }
}

}  // namespace rff
