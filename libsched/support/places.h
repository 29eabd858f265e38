// Where the runtime maps memory of its own. Fixed places, far from where the kernel maps anything
// for the program: with and without a fuzzer, and whatever the runtime needs, the program's own
// mappings lie where they lie. Close to each other: a child of the fork server has few page tables
// to make.
#pragma once

namespace rff::places {

inline constexpr long kStacks = 0x0e0000000000;  // of threads, upwards

inline constexpr long kOwn = 0x0e4000000000;
inline constexpr long kSharedMemory = kOwn;
inline constexpr long kArena = kOwn + 0x8000000;
inline constexpr long kAsideStackEnd = kArena;  // one mapping with it
inline constexpr long kAsideStackSize = 0xc0000;
inline constexpr long kFuzzersInput = kArena - 0x200000;  // by the same page table as that stack
inline constexpr long kFuzzersMap = kArena - 0x300000;
inline constexpr long kAsideArena = kOwn + 0xc000000;
inline constexpr long kArenaChunk = 0x4000000;
// Further chunks of the two.
inline constexpr long kMoreArena = 0x100000000000;
inline constexpr long kMoreAsideArena = 0x180000000000;

}  // namespace rff::places
