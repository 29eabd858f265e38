// For tests: the test program is a patched file itself, with a note and a small site table, so that
// Modules finds one patched module. Link patched_module_for_tests.cc.
#pragma once

#include <memory>

#include "libsched/memory/modules.h"

namespace rff {

// The sites of that module, in the order of their table. All access 8 bytes unless they say how
// many.
enum Site : std::uint32_t {
  kRead,
  kRead2,
  kRead4Bytes,
  kWrite,
  kWrite2,
  kWrite4Bytes,
  kUpdate,  // reads and writes without a lock
  kLockedUpdate,
  kExchange,  // compares and exchanges, locked
  kString,    // elements of 1 byte
  kSiteCount
};

// The modules of the process, with marks of their own.
std::unique_ptr<Modules> modules_of_test();
// The patched one of them.
PatchedModule& patched(const Modules& modules);
// How the table's events name the site's code, as in Cell.
std::uint32_t site_code(Site site);

}  // namespace rff
