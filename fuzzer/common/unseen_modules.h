// Which loaded modules rff does not see into: neither patched nor modelled as part of the system.
#pragma once

#include <string_view>

#include "schedule/shared_memory.h"

namespace rff {

inline bool is_unseen(const ModuleRecord& module) {
  return (module.flags & (kModulePatched | kModuleSystem)) == 0;
}

// Whether a library keeps nothing that threads share, so that nothing is missed by not seeing it:
// the mathematical functions and the unwinder.
inline bool shares_nothing(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libm.so.") || name.starts_with("libgcc_s.so.");
}

}  // namespace rff
