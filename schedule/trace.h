// The format of the trace of one run. rff-replay requests it from the runtime to explain a finding
// and to compare runs.
//
// A file the runtime writes sequentially: TraceHeader, then records, each a TraceRecordHeader
// followed by `bytes` bytes of payload. A run may die at any point; a reader stops at the first
// incomplete record. It skips records of a kind it does not know and bytes after the fields it
// knows. Content that a reader must understand requires a new kVersion.
#pragma once

#include <cstdint>

#include "schedule/event.h"
#include "schedule/failure.h"

namespace rff::trace {

inline constexpr char kMagic[8] = {'R', 'F', 'F', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t kVersion = 5;

struct TraceHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
};

enum class RecordKind : std::uint32_t {
  kModule = 1,        // ModuleInfo + path
  kThread = 2,        // ThreadInfo + name ("main.2.1")
  kEvent = 3,         // EventInfo
  kDecision = 4,      // DecisionInfo
  kOutcome = 5,       // OutcomeInfo + the program's own words
  kStack = 6,         // StackInfo + raw stack bytes from rsp upwards
  kWait = 7,          // WaitInfo: the object a thread waits for when the run ends
  kDivergence = 8,    // DivergenceInfo
  kNote = 9,          // text (unmodelled call, fallback, …)
  kCallers = 10,      // CallersInfo + CodeNames, before the first record that names it
  kAllocation = 11,   // AllocationInfo
  kOutside = 12,      // OutsideInfo + the call and what it was asked of ("open /proc/self/stat")
  kMemoryError = 13,  // MemoryErrorInfo
  kFile = 14,         // FileInfo + path, before the first event of its locks
  kSource = 15,       // SourceInfo, behind the event that it belongs to
};

struct RecordHeader {
  RecordKind kind;
  std::uint32_t bytes;
};

struct ModuleInfo {
  std::uint32_t hash;
  std::uint32_t patched;
  std::uint64_t bias;
  std::uint64_t end;
};

// The call stack of an event, as in FailureStack; the first frame executed it. Present only if
// callers were requested. Each distinct stack is written once.
struct CallersInfo {
  std::uint32_t number;  // from 1
  std::uint32_t reserved;
};

struct ThreadInfo {
  std::uint32_t thread;
  std::uint32_t parent;
  CodeName created_at;
  std::uint64_t stack_low;
  std::uint64_t stack_high;
  std::uint32_t callers;    // CallersInfo::number of the creating call; 0 if unknown
  std::uint32_t attendant;  // 1: no thread of the program, but one that lets descriptors act
};

// A heap block. Present only if callers were requested.
struct AllocationInfo {
  std::uint64_t step;  // step of the last event before it
  std::uint64_t address;
  std::uint64_t size;
  CodeName site;
  std::uint32_t callers;
  std::uint32_t reserved;
};

// The memory error that ends the run.
struct MemoryErrorInfo {
  MemoryErrorFacts facts;
  std::uint32_t freed_callers;  // CallersInfo::number; 0: unknown
  std::uint32_t allocated_callers;
};

// The program asked the world for something that a run does not determine, or got it in memory.
struct OutsideInfo {
  std::uint64_t step;     // step of the last event before it
  std::uint64_t address;  // the memory that was filled
  std::uint64_t bytes;    // 0: none, or unknown
  std::uint32_t thread;
  std::uint32_t reserved;
};

// Another write that a read saw, besides the one that the event names: bytes of several writers.
struct SourceInfo {
  std::uint64_t step;  // of the read
  std::uint64_t source_step;
  CodeName site;         // of the write, which may be missing in the trace
  std::uint32_t thread;  // of the write
  std::uint32_t op;      // OpKind
};

// A file whose locks the program uses.
struct FileInfo {
  std::uint64_t name;  // Location::base of its events
};

enum EventFlags : std::uint32_t {
  kSchedulingPoint = 1,
  kSwitchedHere = 2,    // another thread ran just before this event
  kValueKnown = 4,      // `value` holds what was read or written (up to 8 bytes)
  kReadsFromKnown = 8,  // `reads_from` is a step; else it read init or unseen (kFromUnseen)
  kFromUnseen = 16,
  kTimedOutFlag = 32,
  kFailedFlag = 64,       // had no effect (a lock that was not free, a failed compare-exchange)
  kReadValueKnown = 128,  // `read_value` holds the previous value
  kContentKnown = 512,    // `value` is a hash of what was read or written (more than 8 bytes)
  kNotFollowed = 256,  // only this thread has used the memory, so its last write was not recorded
};

// Accesses to memory that only one thread has used so far are omitted unless RFF_TRACE_ALL is set.

struct EventInfo {
  std::uint64_t step;  // from 1, in order of execution
  std::uint32_t thread;
  std::uint32_t flags;
  AbstractEvent event;
  std::uint64_t address;
  std::uint64_t exact_name;     // hash of the location's exact, run-independent name
  std::uint64_t value;          // read: value seen; write: value written
  std::uint64_t read_value;     // read-modify-write: value seen
  std::uint64_t reads_from;     // step of the write it read from
  CodeName source_site;         // site of that write, which may be missing in the trace
  std::uint32_t source_thread;  // thread of that write, if it is missing
  std::uint32_t source_op;      // OpKind
  std::uint32_t callers;        // CallersInfo::number; 0: unknown
  std::uint32_t reserved;
};

// Written for every scheduling point that a thread passes, even if only one thread could run. A
// guide (Schedule::guided) is an order of these choices.
struct DecisionInfo {
  std::uint64_t step;      // step of the last event before it
  std::uint32_t thread;    // the chosen thread
  std::uint32_t enabled;   // number of threads that could run
  std::uint32_t previous;  // the thread that ran until now
  std::uint32_t
      preempted;  // 1: another thread was chosen although the previous one could have gone on
};

struct OutcomeInfo {
  std::uint32_t outcome;  // RunOutcome
  std::uint32_t finding;  // FindingKind
  std::uint32_t thread;
  std::uint32_t reserved;
  FailureFacts failure;
  CodeName place;
  std::uint64_t steps;
  std::uint64_t trace_hash;
};

// Unmodified registers; `rip` may point into the copy of a function.
struct StackInfo {
  std::uint32_t thread;
  std::uint32_t reserved;
  std::uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

struct WaitInfo {
  std::uint32_t thread;
  std::uint32_t op;         // OpKind
  std::uint32_t waits_for;  // WaitObject
  std::uint32_t reserved;
  std::uint64_t object;       // address
  std::uint64_t object_name;  // exact name
  std::uint32_t holder;       // thread that could end the wait; ~0 if none or unknown
  std::uint32_t blocked;      // 1: cannot run
  CodeName waits_at;
  CodeName held_since;  // where the holder acquired it
};

struct DivergenceInfo {
  std::uint64_t decision;  // index
  std::uint64_t step;
  std::uint32_t expected_thread;
  std::uint32_t seen_thread;  // ~0 if the expected one was not enabled
  std::uint32_t check;        // EventCheck::id_bits of the expected event
  std::uint32_t enabled;      // number of threads that could run
  AbstractEvent pending;  // next event of the expected thread; op kNone if there is no such thread
};

}  // namespace rff::trace
