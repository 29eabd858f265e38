// Which loaded modules rff does not see into: neither patched nor modelled as part of the system.
#pragma once

#include "schedule/shared_memory.h"

namespace rff {

inline bool is_unseen(const ModuleRecord& module) {
  return (module.flags & (kModulePatched | kModuleSystem)) == 0;
}

}  // namespace rff
