// Joined accesses: the part of the hook contract that lets patched code report several accesses
// with one check of its own, without a call.
//
// A group is a run of simple accesses in straight code whose addresses are known where it begins.
// There, patched code looks at the shadow cell of each access. If all of them belong to the running
// thread in its present era, it records the accesses as the runtime would, and goes on in a copy
// without hooks. Otherwise it changes nothing that the hooks would not change, and goes on in the
// copy with them. So a run is the same whether accesses are joined or not.
//
// A value is taken from memory after the instruction that writes it, before the thread's next
// event. By then a function may have returned, and what lies below the program's stack pointer is
// the runtime's: writes there have no value, in checks as in hooks.
//
// The layouts mirror those of libsched, which asserts that they are equal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff::hook {

// The shadow of one word.
struct JoinedCell {
  std::uint64_t value;
  std::uint32_t writer_code;
  std::uint32_t writer_step;
  std::uint32_t reader_code;
  std::uint32_t read_in;
  std::uint32_t written_in;
  std::uint8_t mask;
  std::int8_t delta;
  std::uint8_t traits;  // JoinedTrait
  std::uint8_t guard;
};
static_assert(sizeof(JoinedCell) == 32);
enum JoinedTrait : std::uint8_t { kCellKnown = 1, kCellBytewise = 4, kCellHalves = 8 };

// The shadow's cache of blocks: 256 bytes of the program each, with one cell for each word. The
// slot of an address is `(address >> kCacheShift) & mask` bytes behind the first.
struct JoinedCacheSlot {
  std::uint64_t begin;
  std::uint64_t cells;
};
struct JoinedCache {
  std::uint64_t slots;
  std::uint64_t mask;
};
inline constexpr std::uint8_t kCacheShift = 4;
inline constexpr std::uint32_t kCacheBlock = 256;

// The state of the running thread.
struct JoinedThread {
  std::uint32_t actor;
  std::uint32_t era;
  std::uint32_t unlocked_era;
  std::uint64_t hash_part;
  std::uint64_t stretch_end;
  std::uint64_t cut_at;
  // The write that it is about to make, or made last.
  std::uint64_t write_address;
  std::uint32_t write_size;
  bool write_shared, write_traced;
  std::uint32_t write_code;
  std::uint64_t write_seen;
  std::uint64_t write_cell;  // 0: the runtime must commit it
  std::uint64_t write_bits;
  std::uint64_t write_step;
  std::uint64_t write_cells;
  bool changed_something;
};

// An era of the shadow's cells; what they were used under.
struct JoinedEra {
  std::uint32_t actor;
  std::uint32_t time, handed;
  std::uint32_t locks;
};
// A cell whose word several threads use has this bit in `read_in`, and the index of a history,
// which knows in what era an actor read the word last: at kHistoryPlaces + (2 * actor & 6) * 8.
inline constexpr std::uint32_t kCellSeveral = 0x8000'0000;
inline constexpr std::uint32_t kHistoryBytes = 136;
inline constexpr std::uint32_t kHistoryPlaces = 68;

// The code of the first site of the program, if that is patched; see Cell in libsched.
inline constexpr std::uint32_t kFirstCode = 1;

// What lies so many bytes below `live_from` is left of functions that have returned.
inline constexpr std::uint64_t kDeadBytes = 8192;
inline bool is_dead(std::uint64_t word, std::uint64_t live_from) {
  return live_from - 1 - word < kDeadBytes;
}
// `live_from` of a hook, above the stack pointer with which its entry was called: below the red
// zone, if it keeps the flags.
inline constexpr std::int32_t kLiveAboveCall = 40;

// The factor with which values enter the hash of a run.
inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15ULL;

// Lies behind HookSlots and is zero in the file. Patched code reads it only in enabled groups.
struct JoinedSlots {
  // Filled by the runtime. `…_at`: where the value is.
  std::uint64_t thread_at;  // JoinedThread*
  std::uint64_t steps_at;
  std::uint64_t hash_at;
  std::uint64_t cache;  // JoinedCache*
  // int (*)(JoinedSlots*): tries to make `cell` one that the thread uses in its present era, as a
  // hook would do there. Returns whether it is. It runs on `stack` and changes no vector register.
  std::uint64_t renew;
  std::uint64_t stack;
  std::uint64_t eras_at;       // JoinedEra*
  std::uint64_t histories_at;  // histories of words that several threads use
  std::uint64_t late;          // bool*: reads that add nothing to a history are not looked at
  std::uint64_t inside;        // int*: not 0 while the C library acts for the runtime
  std::uint64_t known;         // offset from fs of a bool: false in code that is not looked at
  std::uint32_t code_base;     // code of the module's site 0
  // Written by patched code.
  std::uint32_t writes;  // whether the access to renew is a write
  std::uint64_t cell;
  std::uint64_t back, fail;      // where a stub goes on
  std::uint64_t saved[16];       // the program's registers while a check uses them
  std::uint64_t stub_saved[10];  // those of the check while a stub uses them

  // Sets what patched code has written back to what it was.
  void put_back(const JoinedSlots& before) {
    writes = before.writes;
    cell = before.cell;
    back = before.back;
    fail = before.fail;
    for (int i = 0; i < 16; ++i) {
      saved[i] = before.saved[i];
    }
    for (int i = 0; i < 10; ++i) {
      stub_saved[i] = before.stub_saved[i];
    }
  }
};

enum GroupTrait : std::uint8_t {
  kGroupWrites = 1,  // the last access may write
  // A fault leaves all as it would be with a hook: there is one access, the check has changed no
  // register, and the copy without hooks leaves what the hook leaves on the stack.
  kGroupMayFault = 2,
};

// One entry per group. Its sites follow one another in the table of sites. The check is enabled
// while the group's byte is 1.
struct GroupRecord {
  std::uint32_t first_site;
  std::uint16_t sites;
  std::uint8_t traits;  // GroupTrait
  // Where the check loads the word of the last write into this register. If that cannot be read,
  // the register is to be 0. All places are distances from HookNote::code_begin.
  std::uint8_t commit_register;
  std::uint32_t commit_load, commit_resume;
  // The copy without hooks.
  std::uint32_t begin, end;
};
static_assert(sizeof(GroupRecord) == 24);

// All addresses are link-time addresses; all zero if there are no groups.
struct JoinedNote {
  std::uint64_t slots;    // JoinedSlots
  std::uint64_t enabled;  // std::uint8_t[group_count], writable, zero in the file
  std::uint64_t groups;   // GroupRecord[group_count], sorted by `begin`, and by `first_site`
  std::uint64_t group_count;
  std::uint64_t fixed_codes;  // checks may be used only if code_base is kFirstCode
};

}  // namespace rff::hook
