// Abstract events op(x)@ℓ: an operation, a location and a place in code, without thread and time.
// Their names stay the same from run to run.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "schedule/hash.h"

namespace rff {

// The operation of an event. Every synchronization primitive takes part in reads-from as a read
// and/or a write of its object. kInit and kUnseen are pseudo-writes: the value that a location had
// before any recorded write, and a value that code without hooks wrote.
enum class OpKind : std::uint8_t {
  kNone = 0,
  kInit,
  kUnseen,
  kRead,
  kWrite,
  kReadModifyWrite,
  kThreadCreate,
  kThreadStart,
  kThreadEnd,
  kThreadJoin,
  kLock,
  kTryLockFailed,
  kUnlock,
  kReadLock,
  kReadUnlock,
  kWait,  // condition variable: release and sleep
  kWake,  // condition variable: woken, about to lock the mutex
  kSignal,
  kBroadcast,
  kBarrier,
  kSemaphoreWait,
  kSemaphorePost,
  kOnce,
  kFutexWait,
  kFutexWake,
  kAllocate,
  kFree,
  kYield,
  kSleep,
  kSyscall,
  kExit,         // the process is about to end, with all of its threads
  kCall,         // a function of the program is entered; only where the user chose to stop there
  kSend,         // bytes go into a pipe, a socket, a counter
  kReceive,      // bytes are taken out of one
  kHandOut,      // a ready descriptor is put into the answer of a wait for events
  kAwaitEvents,  // a wait for events returns with what was handed out
  kLook,         // poll or select finds out whether a descriptor is ready
  kCount,
};

std::string_view op_name(OpKind op);

template <typename... Ops>
constexpr std::uint64_t op_set(Ops... ops) {
  return ((std::uint64_t{1} << static_cast<unsigned>(ops)) | ...);
}
constexpr bool contains(std::uint64_t set, OpKind op) {
  return op < OpKind::kCount && (set >> static_cast<unsigned>(op) & 1) != 0;
}
// Whether the operation takes part in reads-from as a reader or as a writer. constexpr and inline
// because they are evaluated at every event.
constexpr bool op_reads(OpKind op) {
  using enum OpKind;
  return contains(
      op_set(kRead, kReadModifyWrite, kThreadStart, kThreadJoin, kLock, kTryLockFailed, kReadLock,
             kWake, kSignal, kBroadcast, kBarrier, kSemaphoreWait, kSemaphorePost, kOnce,
             kFutexWait, kReceive, kHandOut, kAwaitEvents, kLook),
      op);
}
constexpr bool op_writes(OpKind op) {
  using enum OpKind;
  return contains(
      op_set(kWrite, kReadModifyWrite, kThreadCreate, kThreadEnd, kLock, kUnlock, kReadLock,
             kReadUnlock, kWait, kSignal, kBroadcast, kBarrier, kSemaphoreWait, kSemaphorePost,
             kOnce, kAllocate, kFree, kSend, kReceive, kHandOut, kAwaitEvents),
      op);
}
// Whether the operation accesses memory rather than a synchronization object. free() does: it
// overwrites the block.
constexpr bool op_accesses(OpKind op) {
  using enum OpKind;
  return contains(op_set(kRead, kWrite, kReadModifyWrite, kFree), op);
}

constexpr bool acquires(OpKind op) {
  return op == OpKind::kLock || op == OpKind::kReadLock || op == OpKind::kSemaphoreWait;
}
constexpr bool releases(OpKind op) {
  return op == OpKind::kUnlock || op == OpKind::kReadUnlock || op == OpKind::kSemaphorePost;
}

// A place in code: a module (32-bit hash of its file name without directory and without ".patched")
// and an offset from its base. Packs into 64 bits.
struct CodeName {
  std::uint32_t module = 0;
  std::uint32_t offset = 0;

  constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(module) << 32) | offset;
  }
  static constexpr CodeName unpack(std::uint64_t v) {
    return {static_cast<std::uint32_t>(v >> 32), static_cast<std::uint32_t>(v)};
  }
  auto operator<=>(const CodeName&) const = default;
};

// An entry of a campaign's list of scheduling points.
struct PointName {
  CodeName site;
  bool handed_over = false;  // what races there was handed over by locks wherever it was seen

  static constexpr std::uint32_t kHandedOver = 0x8000'0000;  // in the offset: code ends below
  constexpr std::uint64_t packed() const { return site.packed() | (handed_over ? kHandedOver : 0); }
  static constexpr PointName unpack(std::uint64_t v) {
    return {CodeName::unpack(v & ~std::uint64_t{kHandedOver}), (v & kHandedOver) != 0};
  }
};

std::uint32_t module_hash(std::string_view path);

enum class LocationKind : std::uint8_t {
  kNone = 0,
  kGlobal,      // base: module hash, offset: from the module's base
  kHeap,        // base: packed CodeName of the allocation site, offset: in the block
  kStack,       // base: 0, offset: from the stack's highest address down
  kMapping,     // base: ordinal of the mapping, offset in it
  kThread,      // base: packed CodeName of the creating call, offset 0: a thread as an object
  kDescriptor,  // base: packed CodeName of the call that made it, offset: how many that made before
  kFile,        // base: hash of its name without folders, offset 0: its locks as an object
};

std::string_view location_kind_name(LocationKind kind);

// A memory location without thread and ordinal, so that locations with the same role have the same
// name.
struct Location {
  LocationKind kind = LocationKind::kNone;
  std::uint64_t base = 0;
  std::uint64_t offset = 0;
  auto operator<=>(const Location&) const = default;
};

// op(x)@ℓ. Plain data: it is stored as is in shared memory and in files.
struct AbstractEvent {
  OpKind op = OpKind::kNone;
  LocationKind place = LocationKind::kNone;
  std::uint16_t size = 0;  // bytes accessed, 0 for objects; saturates
  std::uint32_t reserved = 0;
  std::uint64_t base = 0;
  std::uint64_t offset = 0;
  CodeName site;

  static AbstractEvent make(OpKind op, const Location& x, std::uint64_t size, CodeName site);
  static AbstractEvent init(const Location& x);
  static AbstractEvent unseen(const Location& x);

  Location location() const { return {place, base, offset}; }
  // The location that decides who reads from whom. What is handed out to waits for events is one
  // list, although each event is named after its descriptor.
  Location object() const {
    return op == OpKind::kHandOut || op == OpKind::kAwaitEvents ? Location{place, 0, 0}
                                                                : location();
  }
  std::uint64_t id() const;
  bool reads() const { return op_reads(op); }
  bool writes() const { return op_writes(op) || op == OpKind::kInit || op == OpKind::kUnseen; }
  auto operator<=>(const AbstractEvent&) const = default;
};
static_assert(sizeof(AbstractEvent) == 32);

inline std::uint64_t location_key(const AbstractEvent& e) {
  Location x = e.object();
  return hash_combine(hash_combine(static_cast<std::uint64_t>(x.kind), x.base), x.offset);
}

// The range of bytes that an event touches.
struct Extent {
  LocationKind place = LocationKind::kNone;
  std::uint64_t base = 0;
  std::int64_t begin = 0, end = 0;

  explicit Extent(const AbstractEvent& e);
  bool overlaps(const Extent& other) const {
    return begin < other.end && other.begin < end && base == other.base && place == other.place &&
           place != LocationKind::kNone;
  }
};

// Whether the two ranges of bytes may overlap. init(x) and unseen(x) overlap everything that starts
// at x.
inline bool same_location(const AbstractEvent& a, const AbstractEvent& b) {
  return Extent(a).overlaps(Extent(b));
}
// Whether the events touch the same location and at least one of them writes.
bool conflicting(const AbstractEvent& a, const AbstractEvent& b);

// Returns "write(0x4010 of reorder_3)@reorder_3+0x1189". `module_name` translates module hashes to
// names.
std::string describe(const AbstractEvent& e, std::string (*module_name)(std::uint32_t) = nullptr);

}  // namespace rff
