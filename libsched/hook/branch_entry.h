// The entries of blocks and comparisons from patched code.
#pragma once

#include <cstdint>

#include "schedule/hook.h"

// Used as AccessHook::enter of a BranchHook, by a calling convention of patched code.
extern "C" {
__attribute__((visibility("hidden"))) void rff_fast_block(std::uint64_t, std::uint32_t,
                                                          std::uint64_t, rff::hook::AccessHook*);
__attribute__((visibility("hidden"))) void rff_fast_comparison(std::uint64_t, std::uint32_t,
                                                               std::uint64_t,
                                                               rff::hook::AccessHook*);
}
