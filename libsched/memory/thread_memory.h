// Per-thread state of memory/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/joined.h"

namespace rff {

struct Cell;
class LoopPasses;
struct Step;

// Reads that a thread has repeated since it last made progress; distinguishes a spin loop from
// work. A loop that gives up after fewer than kRounds rounds is never held back; one over more
// places than fit here is found by its length.
struct SpinWatch {
  static constexpr int kEntries = 16;
  static constexpr std::uint32_t kRounds = 32;
  static constexpr std::uint32_t kLongest = 4000;
  struct Entry {
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t code;  // see Cell
    std::uint32_t rounds;
  };
  Entry entries[kEntries];
  int count = 0;
  std::uint32_t reads = 0;  // since the last reset
  bool everywhere = false;  // any write may end it
  void reset() {
    count = 0;
    reads = 0;
    everywhere = false;
  }
};

// Places where long stretches without a scheduling point were cut: a loop over a few words is soon
// cut at one of them again, a walk through memory is not.
struct LongRounds {
  static constexpr int kEntries = 16;
  std::uint64_t addresses[kEntries] = {};
  int next = 0;
  bool seen_before(std::uint64_t address) {
    for (std::uint64_t a : addresses) {
      if (a == address) {
        return true;
      }
    }
    addresses[next++ % kEntries] = address;
    return false;
  }
};

// A write is announced before its instruction executes and committed at the thread's next event,
// when its value is in memory.
struct AnnouncedWrite {
  std::uint64_t address = 0;  // 0: none
  std::uint32_t size = 0;
  bool shared = false;
  bool traced = false;
  std::uint32_t code = 0;
  std::uint64_t seen = 0;  // value read by a read-modify-write
  Cell* cell = nullptr;    // set for a single word that only this thread uses
  std::uint64_t bits = 0;  // the written bits of that word
  Step* step = nullptr;    // its record, which lacks the value
  Cell* cells = nullptr;   // set for several words of one block that only this thread uses
};

struct ThreadMemory {
  // A thread that runs for long without a scheduling point is stopped once: what it waits for may
  // not be known as shared yet.
  static constexpr std::uint64_t kLongestStretch = 10'000;

  explicit ThreadMemory(std::uint32_t index = 0) { set_index(index); }
  void set_index(std::uint32_t index) { hash_part = std::uint64_t{index} << 32; }

  // Maintained by SyncOrder.
  std::uint32_t actor = 0;
  std::uint32_t era = 1;           // of its accesses now
  std::uint32_t unlocked_era = 1;  // the same if it held no lock
  bool is_now(std::uint32_t other) const { return other == era || other == unlocked_era; }
  std::uint64_t hash_part;  // index << 32: the thread in the hash of the run
  std::uint64_t stretch_end =
      kLongestStretch;                     // the step from which on accesses take the slow path
  std::uint64_t cut_at = kLongestStretch;  // the step at which the thread is stopped
  AnnouncedWrite announced;
  bool changed_something = false;  // a write changed a value
  bool changed_before = false;     // the same, before the present critical section
  std::uint32_t sections = 0;      // critical sections that it is in
  std::uint64_t last_site = 0;     // for control-flow edges
  std::uint32_t last_block = 0;    // the same in programs patched with --branches: see BranchLog
  std::uint32_t role = 0;          // hash of where the thread was created; 0: the main thread
  SpinWatch watch;
  LongRounds rounds;
  LoopPasses* passes = nullptr;  // null: its loops are not looked at
  std::uint64_t live_from = 0;   // of the hook that it is in (see hook::is_dead); 0: in none
};
using Joined = hook::JoinedThread;  // which checks in patched code know
static_assert(offsetof(ThreadMemory, actor) == offsetof(Joined, actor) &&
              offsetof(ThreadMemory, era) == offsetof(Joined, era) &&
              offsetof(ThreadMemory, unlocked_era) == offsetof(Joined, unlocked_era) &&
              offsetof(ThreadMemory, hash_part) == offsetof(Joined, hash_part) &&
              offsetof(ThreadMemory, stretch_end) == offsetof(Joined, stretch_end) &&
              offsetof(ThreadMemory, announced.address) == offsetof(Joined, write_address) &&
              offsetof(ThreadMemory, announced.code) == offsetof(Joined, write_code) &&
              offsetof(ThreadMemory, announced.cell) == offsetof(Joined, write_cell) &&
              offsetof(ThreadMemory, announced.bits) == offsetof(Joined, write_bits) &&
              offsetof(ThreadMemory, changed_something) == offsetof(Joined, changed_something));

}  // namespace rff
