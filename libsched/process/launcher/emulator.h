// Whether this process runs in QEMU's user-mode emulator: see README.md, "Other hosts".
#pragma once

#include <cpuid.h>
#include <sys/auxv.h>

#include <cstring>

namespace rff::placement {

// The emulator maps everything at the same addresses in every run, so nothing has to be placed, and
// it takes minutes to reserve a large range of addresses. A whole emulated machine has the same
// processor, but its kernel gives programs a vDSO.
inline bool emulated() {
  unsigned leaves = 0;
  unsigned name[3] = {};
  constexpr unsigned kHypervisor = 0x40000000;
  __cpuid(kHypervisor, leaves, name[0], name[1], name[2]);
  return std::memcmp(name, "TCGTCGTCGTCG", sizeof name) == 0 && getauxval(AT_SYSINFO_EHDR) == 0;
}

}  // namespace rff::placement
