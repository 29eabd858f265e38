// How a run failed, as facts: the runtime records them, the schedule file keeps them, and the
// fuzzer makes words of them (fuzzer/common/finding_words.h). The only texts are the program's own.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/event.h"

namespace rff {

enum class FindingKind : std::uint8_t { kNone, kAssert, kCrash, kDeadlock, kHang, kExit, kCount };

std::string_view finding_name(FindingKind kind);
std::optional<FindingKind> finding_from_name(std::string_view name);

// Failures of all threads together: none of them fails by itself, and what each one waits for or
// does is part of the failure.
constexpr bool fails_together(FindingKind kind) {
  return kind == FindingKind::kDeadlock || kind == FindingKind::kHang;
}

// What a thread waits for. The numbers are in files: new ones go to the end.
enum class WaitObject : std::uint8_t {
  kNone,  // nothing: it can go on
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
  kOutside,  // anything else that is not of this process
  kCount
};

inline constexpr std::uint32_t kNoThread = ~0u;

enum class CrashCause : std::uint8_t {
  kSignal,
  kAbort,      // the program called abort
  kException,  // nobody catches an exception; Failure::words is the mangled name of its type
  kSanitizer,  // a sanitizer has ended the program; Failure::words is its report in one line
  kCount
};

enum FailureFlags : std::uint16_t {
  kStackOverflow = 1,
  kCalledAddress = 2,    // `address` was called and is no code
  kAccessedAddress = 4,  // `address` was read or written
  kInsideLibrary = 8,    // `inside` is the place in a library where it happened
  kBadFreeList = 16,     // the C library's list of freed blocks holds an address of nothing
  kWithoutEvents = 32,   // of a run that does not end: its thread accesses no memory
};

// Plain data: the same in shared memory, traces and files.
struct FailureFacts {
  CrashCause cause = CrashCause::kSignal;
  std::uint8_t reserved = 0;
  std::uint16_t flags = 0;  // FailureFlags
  std::int32_t signal = 0;  // of a crash
  std::int32_t exit_status = 0;
  std::uint32_t reserved2 = 0;
  std::uint64_t address = 0;
  CodeName inside;

  bool has(FailureFlags flag) const { return (flags & flag) != 0; }
  bool operator==(const FailureFacts&) const = default;
};
static_assert(sizeof(FailureFacts) == 32);

// A thread of a deadlock, and what it waits for; or a thread of a hang, and where it goes on.
struct WaitFacts {
  std::uint32_t thread = 0;          // in order of creation
  std::uint32_t holder = kNoThread;  // the thread that could end the wait
  OpKind op = OpKind::kNone;
  WaitObject object = WaitObject::kNone;
  std::uint8_t reserved[6] = {};
  std::uint64_t address = 0;  // of the object
  CodeName site;
  CodeName held_since;  // where the holder took it; empty if unknown

  bool operator==(const WaitFacts&) const = default;
};
static_assert(sizeof(WaitFacts) == 40);

// A read that a thread of a hang repeats.
struct RepeatedRead {
  std::uint32_t thread = 0;
  std::uint32_t reserved = 0;
  CodeName site;
  bool operator==(const RepeatedRead&) const = default;
};

enum class DivergenceCause : std::uint32_t { kCannotRun, kOtherEvent };

// Why a replay cannot follow a decision.
struct DivergenceFacts {
  std::uint64_t decision = 0;  // index
  std::uint32_t thread = 0;    // that the decision names
  DivergenceCause cause = DivergenceCause::kCannotRun;
  bool operator==(const DivergenceFacts&) const = default;
};

struct FailureWait : WaitFacts {
  std::string thread_name, holder_name;  // "main.2.1"
  bool operator==(const FailureWait&) const = default;
};

// Where a thread was when the run failed: its frames without those of the runtime, innermost first.
// Each is an address inside the instruction that is executed or that called.
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
  std::string words;   // of the program, its assertion for one, or of its C library
  std::string report;  // of a sanitizer, in full
  std::vector<FailureWait> waits;
  std::vector<RepeatedRead> repeated_reads;
  std::vector<FailureStack> stacks;  // of the thread that failed, or of those in `waits`
  std::vector<ModuleName> modules;
  std::optional<DivergenceFacts> divergence;  // of a run that is no failure; in no file
  std::string version_2_text;                 // all there is of a finding in a file of version 2
  bool operator==(const Failure&) const = default;
};

}  // namespace rff
