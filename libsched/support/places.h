// Where the runtime maps memory of its own. Fixed places, far from where the kernel maps anything
// for the program: with and without a fuzzer, and whatever the runtime needs, the program's own
// mappings lie where they lie. Close to each other: a child of the fork server has few page tables
// to make.
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
inline constexpr long kRuntimeStackArena = kArena + 0xc0000;
// Of a run: the first pages of both lie side by side, behind what is known of them.
inline constexpr long kRunMemory = kArena + 0x100000;
inline constexpr long kRuntimeStackRunArena = kRunMemory + 0x1000;
inline constexpr long kRunArena = kRunMemory + 0x8000;
inline constexpr long kRunMemoryEnd = kArena + 0x200000;
inline constexpr long kStacks = kOwn + 0x10000000;  // of threads, upwards
// Where the two arenas go on when that is full.
inline constexpr long kMoreArena = 0x300000000000;
inline constexpr long kMoreRunArena = 0x340000000000;
inline constexpr long kMoreRuntimeStackArena = 0x380000000000;
inline constexpr long kMoreRuntimeStackRunArena = 0x3c0000000000;

}  // namespace rff::places
