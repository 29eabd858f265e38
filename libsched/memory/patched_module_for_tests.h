// For tests: makes the test program itself a patched file, with a note and a small site table, so
// that Modules finds one patched module. Link patched_module_for_tests.cc.
#pragma once

#include <memory>

#include "libsched/memory/modules.h"

namespace rff {

// Sites of that module, in the order of their table. They access 8 bytes unless stated otherwise.
enum Site : std::uint32_t {
  kRead,
  kRead2,
  kRead4Bytes,
  kWrite,
  kWrite2,
  kWrite4Bytes,
  kUpdate,  // reads and writes without a lock prefix
  kLockedUpdate,
  kExchange,  // locked compare-exchange
  kString,    // elements of 1 byte
  kRead32Bytes,
  kWrite32Bytes,
  kSiteCount
};

// Branches of that module, in the order of their table, if it has them.
enum Branch : std::uint32_t {
  kBlock,
  kOtherBlock,
  kComparison,          // 4 bytes
  kConstantComparison,  // 1 byte
  kSwappedComparison,   // 8 bytes
  kBranchCount
};

// Returns the modules of the process, with marks of their own.
std::unique_ptr<Modules> modules_of_test(bool with_branches = false);
// Returns the patched one.
PatchedModule& patched(const Modules& modules);
// Returns the code of the site in the table's events; see Cell.
std::uint32_t site_code(Site site);

}  // namespace rff
