// Fixed addresses at which the runtime maps its own memory, far from where the kernel maps anything
// for the program. So the program's mappings have the same addresses with and without a fuzzer,
// whatever the runtime needs. They are close to each other, so that a child of the fork server
// creates few page tables.
#pragma once

namespace rff::places {

inline constexpr long kOwn = 0x2e4000000000;
inline constexpr long kSharedMemory = kOwn;
inline constexpr long kFuzzersMap = kOwn + 0x3000000;
inline constexpr long kFuzzersInput = kOwn + 0x3100000;
// The runtime's own stack ends where its memory begins, in one mapping with it.
inline constexpr long kArena = kOwn + 0x8000000;
inline constexpr long kRuntimeStackEnd = kArena;
inline constexpr long kRuntimeStackSize = 0xc0000;
// The lowest pages of that mapping are the stack of hooks that do not stop (hook/quiet_entry.h).
inline constexpr long kHookStackEnd = kRuntimeStackEnd - kRuntimeStackSize + 0x10000;
inline constexpr long kRuntimeStackArena = kArena + 0xc0000;
// Memory of a run: the first pages of both arenas are adjacent, after their bookkeeping.
inline constexpr long kRunMemory = kArena + 0x100000;
inline constexpr long kRuntimeStackRunArena = kRunMemory + 0x1000;
inline constexpr long kRunArena = kRunMemory + 0x8000;
inline constexpr long kRunMemoryEnd = kArena + 0x200000;
inline constexpr long kStacks = kOwn + 0x10000000;  // thread stacks, upwards
// Where the two arenas continue when those are full.
inline constexpr long kMoreArena = 0x300000000000;
inline constexpr long kMoreRunArena = 0x340000000000;
inline constexpr long kMoreRuntimeStackArena = 0x380000000000;
inline constexpr long kMoreRuntimeStackRunArena = 0x3c0000000000;
// What runs in place need beside the program: see snapshot/worker.h. Far from all that is restored.
inline constexpr long kTurn = 0x2a0000000000;
inline constexpr long kSnapshot = kTurn + 0x1000;

}  // namespace rff::places
