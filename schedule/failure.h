// Describes how a run failed, as typed facts. The runtime records them, the schedule file stores
// them, and the fuzzer turns them into words (fuzzer/common/finding_words.h). The only texts here
// are the program's own.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/event.h"

namespace rff {

enum class FindingKind : std::uint8_t {
  kNone,
  kAssert,
  kCrash,
  kDeadlock,
  kHang,
  kExit,
  kUseAfterFree,  // the first memory error
  kHeapOverflow,
  kHeapUnderflow,
  kDoubleFree,
  kInvalidFree,
  kMismatchedFree,
  kStackUseAfterReturn,  // the last one
  kCount
};

std::string_view finding_name(FindingKind kind);
std::optional<FindingKind> finding_from_name(std::string_view name);

// Whether the failure is one of several threads together, such as a deadlock: the wait or the
// action of each thread is part of the failure.
constexpr bool fails_together(FindingKind kind) {
  return kind == FindingKind::kDeadlock || kind == FindingKind::kHang;
}

// Whether a check of memory found it (schedule/checks.h); then there is a MemoryError.
constexpr bool is_memory_error(FindingKind kind) {
  return kind >= FindingKind::kUseAfterFree && kind <= FindingKind::kStackUseAfterReturn;
}

// The kind of object that a thread waits for. Files store the numbers: add new ones at the end.
enum class WaitObject : std::uint8_t {
  kNone,  // the thread can run
  kMutex,
  kReadWriteLockToRead,
  kReadWriteLockToWrite,
  kSpinLock,
  kConditionVariable,
  kSemaphore,
  kBarrier,
  kOnceRoutine,
  kStaticVariable,
  kStream,
  kFutex,
  kThreadEnd,
  kSignal,
  kTimer,
  kTime,
  kDescriptor,
  kLoader,
  kOutside,  // anything else outside this process
  kBytes,    // the other end of a pipe, socket or counter is in the program, as for the next ones
  kRoom,
  kEvents,
  kFileLock,
  kCount
};

inline constexpr std::uint32_t kNoThread = ~0u;

enum class CrashCause : std::uint8_t {
  kSignal,
  kAbort,      // the program called abort
  kException,  // an uncaught exception; Failure::words is the mangled name of its type
  kSanitizer,  // a sanitizer ended the program; Failure::words is its report in one line
  kCount
};

enum FailureFlags : std::uint16_t {
  kStackOverflow = 1,
  kCalledAddress = 2,    // `address` was called and is not code
  kAccessedAddress = 4,  // `address` was read or written
  kInsideLibrary = 8,    // `inside` is the place of the failure within a library
  kBadFreeList = 16,     // the C library's list of freed blocks holds an invalid address
  kWithoutEvents = 32,   // hang: the thread accesses no memory
};

// Plain data with the same layout in shared memory, traces and files.
struct FailureFacts {
  CrashCause cause = CrashCause::kSignal;
  std::uint8_t reserved = 0;
  std::uint16_t flags = 0;  // FailureFlags
  std::int32_t signal = 0;  // the signal of a crash; else 0
  std::int32_t exit_status = 0;
  std::uint32_t reserved2 = 0;
  std::uint64_t address = 0;
  CodeName inside;

  bool has(FailureFlags flag) const { return (flags & flag) != 0; }
  bool operator==(const FailureFacts&) const = default;
};
static_assert(sizeof(FailureFacts) == 32);

// A thread of a deadlock and the object it waits for, or a thread of a hang and its position.
struct WaitFacts {
  std::uint32_t thread = 0;          // numbered in order of creation
  std::uint32_t holder = kNoThread;  // the thread that could end the wait
  OpKind op = OpKind::kNone;
  WaitObject object = WaitObject::kNone;
  std::uint8_t reserved[6] = {};
  std::uint64_t address = 0;  // address of the object
  CodeName site;
  CodeName held_since;  // where the holder acquired the object; empty if unknown

  bool operator==(const WaitFacts&) const = default;
};
static_assert(sizeof(WaitFacts) == 40);

// The functions that made a heap block, or that shall give it back. Files store the numbers.
enum class AllocatorFamily : std::uint8_t { kMalloc, kNew, kNewArray, kCount };

// Says what lies at an address that was freed and is no block. Files store the numbers.
enum class MemoryArea : std::uint8_t { kUnknown, kBlock, kGlobal, kStack, kMapping, kCount };

// An access to memory that the thread must not use, or a wrong release of it. It has not happened
// yet when the run ends.
struct MemoryErrorFacts {
  OpKind op = OpKind::kNone;  // of the access; kFree for a release
  AllocatorFamily allocated_with = AllocatorFamily::kMalloc;
  AllocatorFamily freed_with = AllocatorFamily::kMalloc;  // of a release
  MemoryArea area = MemoryArea::kUnknown;                 // of a release of what is no block
  std::uint32_t thread = kNoThread;
  std::uint64_t address = 0;  // where the access begins, or what was released
  std::uint64_t size = 0;     // of the access
  std::uint64_t wrong = 0;    // the first address that is wrong
  std::uint64_t block = 0;    // the heap block; 0: none is near
  std::uint64_t block_size = 0;
  std::uint32_t freed_by = kNoThread;      // kNoThread: the block was not freed before
  std::uint32_t allocated_by = kNoThread;  // for a stack: the thread to which it belongs
  std::uint64_t step = 0;
  std::uint64_t freed_step = 0;
  CodeName freed_at;
  CodeName allocated_at;

  bool operator==(const MemoryErrorFacts&) const = default;
};
static_assert(sizeof(MemoryErrorFacts) == 88);

struct MemoryError : MemoryErrorFacts {
  std::string thread_name, freed_by_name, allocated_by_name;  // "main.2.1"
  bool operator==(const MemoryError&) const = default;
};

// Replaces values that only a newer rff knows by known ones.
inline void make_known(MemoryErrorFacts& m) {
  m.op = m.op < OpKind::kCount ? m.op : OpKind::kNone;
  for (AllocatorFamily* family : {&m.allocated_with, &m.freed_with}) {
    *family = *family < AllocatorFamily::kCount ? *family : AllocatorFamily::kMalloc;
  }
  m.area = m.area < MemoryArea::kCount ? m.area : MemoryArea::kUnknown;
}

// A read that a thread repeats in a hang.
struct RepeatedRead {
  std::uint32_t thread = 0;
  std::uint32_t reserved = 0;
  CodeName site;
  bool operator==(const RepeatedRead&) const = default;
};

enum class DivergenceCause : std::uint32_t { kCannotRun, kOtherEvent };

// The reason why a replay cannot follow a decision.
struct DivergenceFacts {
  std::uint64_t decision = 0;  // index
  std::uint32_t thread = 0;    // the thread that the decision names
  DivergenceCause cause = DivergenceCause::kCannotRun;
  bool operator==(const DivergenceFacts&) const = default;
};

struct FailureWait : WaitFacts {
  std::string thread_name, holder_name;  // "main.2.1"
  bool operator==(const FailureWait&) const = default;
};

// The call stack of a thread when the run failed, innermost frame first, without the runtime's own
// frames. Each entry is an address inside the executing or calling instruction.
struct FailureStack {
  std::uint32_t thread = 0;
  std::vector<CodeName> frames;
  bool operator==(const FailureStack&) const = default;
};

// The name of a module that the facts mention by its hash.
struct ModuleName {
  std::uint32_t hash = 0;
  std::string name;
  bool operator==(const ModuleName&) const = default;
};

struct Failure {
  FailureFacts facts;
  std::string words;   // message of the program (such as its assertion) or of the C library
  std::string report;  // the full report of a sanitizer
  std::vector<FailureWait> waits;
  std::vector<RepeatedRead> repeated_reads;
  std::vector<FailureStack>
      stacks;  // the stack of the failing thread, or those of the threads in `waits`
  std::vector<ModuleName> modules;
  std::optional<MemoryError> memory;          // set for memory errors
  std::optional<DivergenceFacts> divergence;  // set for a replay that diverged; not stored in files
  std::string version_2_text;  // a file of version 2 stores the failure as this text only
  bool operator==(const Failure&) const = default;
};

}  // namespace rff
