// The layout of the memory that the runtime (in the target) and the fuzzer share: a file that both
// map.
//
// The fuzzer creates and owns the file; one runtime at a time writes to it. The writer may die
// between any two instructions. Therefore it writes a record first and counts it afterwards
// (release); readers load the count (acquire), clamp it to the capacity and read no further.
// `RunRecord::state` says how far the run got.
//
// The layout is not a file format: both sides come from one installation, and a runtime refuses
// memory with another kSharedVersion or size. Every change of the layout must change
// kSharedVersion.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "schedule/compared_operands.h"
#include "schedule/event.h"
#include "schedule/failure.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_output.h"
#include "schedule/shared_text.h"

namespace rff {

inline constexpr char kSharedMagic[8] = {'R', 'F', 'F', 'S', 'H', 'A', 'R', 'E'};
inline constexpr std::uint32_t kSharedVersion = 18;

// The length of a list to which one process appends while another reads it.
template <std::uint32_t kCapacity>
struct SharedCount {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> overflowed;  // number of entries that did not fit

  static constexpr std::uint32_t capacity() { return kCapacity; }
  std::uint32_t size() const {
    std::uint32_t n = count.load(std::memory_order_acquire);
    return n < kCapacity ? n : kCapacity;
  }
  void clear() {
    count.store(0, std::memory_order_release);
    overflowed.store(0, std::memory_order_relaxed);
  }

 protected:
  // `place(n)` returns the address of the n-th entry.
  template <typename T, typename Place>
  bool append_at(Place place, const T& item) {
    std::uint32_t n = count.load(std::memory_order_relaxed);
    if (n >= kCapacity) {
      overflowed.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    *place(n) = item;
    count.store(n + 1, std::memory_order_release);
    return true;
  }
};

template <typename T, std::uint32_t kCapacity>
struct SharedList : SharedCount<kCapacity> {
  T items[kCapacity];

  bool append(const T& item) {
    return this->append_at([&](std::uint32_t n) { return items + n; }, item);
  }
  const T* begin() const { return items; }
  const T* end() const { return items + this->size(); }
};

// A list that grows downwards from the field that follows it. A short run then needs only one page
// for the two, and every page costs a run a page fault.
template <typename T, std::uint32_t kCapacity>
struct DownwardItems {
  T items[kCapacity];
};
template <typename T, std::uint32_t kCapacity>
struct DownwardList : DownwardItems<T, kCapacity>, SharedCount<kCapacity> {
  bool append(const T& item) {
    return this->append_at([&](std::uint32_t n) { return this->items + kCapacity - 1 - n; }, item);
  }
  auto begin() const { return std::reverse_iterator<const T*>(this->items + kCapacity); }
  auto end() const { return begin() + this->size(); }
};

// A reads-from pair of the run: indexes into RunRecord::events. The write may be init(x) or
// unseen(x).
struct ReadsFromPair {
  std::uint32_t write;
  std::uint32_t read;
};

// One step of a run, in order of execution.
struct Step {
  static constexpr std::uint16_t kPoint = 0x8000;
  std::uint64_t address;  // address of the memory or object; 0: none
  std::uint64_t value;    // value read or written (the first word of a range)
  std::uint32_t event;    // index into RunRecord::event_list
  std::uint16_t thread;   // numbered in order of creation
  std::uint16_t check;    // check of the event at which the thread stopped, as in Decision, and
                          // kPoint; 0: no scheduling point lies between this step and the previous
};

// A thread or an action (a pending event) that a scheduler could choose, in order of the choices.
// The systematic search ends the list with a choice that was not made: what the threads were about
// to do when the run ended.
struct ConsideredAction {
  enum Flags : std::uint8_t {
    kChosen = 1,
    kMayWait = 2,  // the operation may have to wait
    kWrites = 4,
    kOverruled = 8,   // not the scheduler's choice: the thread had been passed over for very long
    kSpinsLeft = 16,  // a thread that repeats a loop was left out
    kMayFail = 32,    // the operation writes only if it succeeds
    kAwaits = 64,     // repeats a pass of a loop (Exploration::loops_wait)
  };

  std::uint64_t state = 0;   // of Q-learning; for the systematic search the address
  std::uint64_t action = 0;  // id of the event
  std::uint32_t choice = 0;  // number of the choice, from 0
  std::uint8_t flags = 0;    // Flags
  // The systematic search sets these.
  OpKind op = OpKind::kNone;
  std::uint16_t thread = 0;
  std::uint32_t size = 0;  // bytes accessed

  bool chosen() const { return (flags & kChosen) != 0; }
};

// A choice of the program's world in a run of the systematic search: one of `bound` values.
struct WorldChoice {
  std::uint32_t bound;
  std::uint32_t value;
  std::uint32_t steps;  // the number of steps recorded so far
};

struct SharedWait : WaitFacts {
  SharedText<32> thread_name, holder_name;
};

// The form of MemoryError in the record.
struct SharedMemoryError : MemoryErrorFacts {
  SharedText<32> thread_name, freed_by_name, allocated_by_name;
};

// The form of FailureStack in the record.
struct SharedStack {
  static constexpr std::uint32_t kMostFrames = 24;
  std::uint32_t thread;
  std::uint32_t count;
  CodeName frames[kMostFrames];
};

// In a program patched with --branches, reads-from pairs have the lower half of AFL++'s map and
// control flow the upper one. Otherwise pairs have all of it.
inline constexpr std::uint32_t kMapHalf = 1 << 15;
// AFL++ looks at all of its map after each run, and clears it. Without inputs to fuzz the small one
// does.
inline constexpr std::uint32_t kLargeMap = 2 * kMapHalf;
inline constexpr std::uint32_t kSmallMap = 1 << 13;

enum class RunState : std::uint32_t { kNone, kStarted, kEnded };
enum class RunOutcome : std::uint32_t {
  kUnknown,       // the process died without reporting an outcome
  kNormal,        // the program ended normally
  kFinding,       // the run failed; see RunRecord::finding
  kUnresponsive,  // ended by the wall-clock limit
  kDiverged,      // a replay could not follow its decisions; see RunRecord::divergence
  kBadSchedule,   // the test case could not be decoded; see RunRecord::words
};

enum RunFlags : std::uint32_t {
  kTouchedOutside = 1,  // the program waited for something outside the process
  kNeededTimeout = 2,   // a timed wait expired although other threads could run
  kFromCache = 4,       // the fork server answered from its cache
  kNoThreads = 8,       // the program never created a thread
  kTimePassed = 16,     // a timed wait expired
  kDiscarded = 32,      // the input does not meet the assumptions of a property
  kHandledSignal = 64,  // a handler of the program ran between two steps of a thread
};

// A timed wait that ended although another thread could run: the longest of a run. Threads are
// numbered in order of creation.
struct EarlyTimeout {
  std::uint64_t nanoseconds = 0;  // how long the thread meant to wait; 0: there was none
  std::uint32_t thread = 0;
  std::uint32_t preempted = 0;  // the thread that could run
};

// Padding in front of a downward list, so that this many bytes of it lie on the page that it shares
// with the next field.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPartOfPage = 512;

// Everything one run reports.
struct RunRecord {
  alignas(kPageBytes) std::uint8_t before_map_places[kPartOfPage];
  // Indexes into AFL++'s map. The fork server fills in the map: a child that wrote to the map would
  // take a page fault for most of its pages.
  DownwardList<std::uint16_t, 1 << 15> map_places;

  std::atomic<RunState> state;
  std::atomic<RunOutcome> outcome;
  std::uint64_t sequence;  // number of this run of the fork server, from 1
  std::uint32_t flags;     // RunFlags
  FindingKind finding;
  std::uint8_t reserved[3];
  CodeName place;             // where the finding happened
  std::int32_t wait_status;   // as from waitpid; written by the fork server after the run
  std::uint32_t stack_pages;  // of the first thread that the run created; 0: none
  std::uint32_t stacks_used;  // of those made in the run, also for what is no thread of the program
  std::uint64_t events;
  std::uint64_t scheduling_points;  // number of events at which a thread stopped
  std::uint64_t switches;
  std::uint32_t threads;
  std::uint32_t points_version;  // number of SharedMemory::points that this run used
  std::uint64_t rf_combination;  // hash of the set of rf pairs
  std::uint64_t control_flow;    // hash of the per-thread site→site edges
  std::uint64_t trace_hash;      // hash of every event with its thread and value, in order
  std::uint32_t satisfied;       // number of constraints satisfied at the end of the run
  std::uint32_t abandoned;
  std::uint32_t rejected;
  EarlyTimeout early_timeout;
  std::uint32_t has_branches;  // 1: the run reports control flow and comparisons
  // The program's own message about its failure, such as an assertion, or the reason why the test
  // case could not be decoded.
  SharedText<1024> words;
  static constexpr std::uint32_t kMostEvents = 1 << 15;
  SharedList<AbstractEvent, kMostEvents> event_list;  // distinct abstract events of the run

  SharedList<ReadsFromPair, 1 << 16> pairs;  // distinct rf pairs of the run

  alignas(kPageBytes) std::uint8_t before_decisions[kPartOfPage];
  DownwardList<Decision, 1 << 22> decisions;
  SharedList<Step, 1 << 16> steps;  // a long run keeps only its first ones

  // Written only by runs of Q-learning and of the systematic search.
  SharedList<ConsideredAction, 1 << 18> considered;
  SharedList<WorldChoice, 1 << 12> world_choices;

  // Written only by runs of programs patched with --branches. How often each edge was taken, at
  // most 255 times; see kMapHalf.
  std::uint8_t edges[kMapHalf];
  SharedList<ComparedValues, 1 << 12> compared_values;
  SharedList<ComparedBytes, 1 << 9> compared_bytes;

  // Written only by runs that fail or diverge; kept off the pages that every run writes.
  FailureFacts failure;
  DivergenceFacts divergence;
  SharedList<SharedWait, 64> waits;  // the threads of a deadlock or hang
  SharedList<RepeatedRead, 256> repeated_reads;
  SharedList<SharedStack, 64> stacks;
  SharedText<16384> report;        // the report of a sanitizer
  SharedMemoryError memory_error;  // valid if is_memory_error(finding)
  // The values that a property drew from the input, one per line. Written only by programs with
  // properties.
  SharedText<65536> values;

  // Resets the record. Called before a run starts; a fork server calls it itself, because its pages
  // are already mapped.
  void begin() {
    outcome.store(RunOutcome::kUnknown);
    state.store(RunState::kStarted);
    ++sequence;
    flags = 0;
    finding = FindingKind::kNone;
    place = {};
    wait_status = 0;
    words.set("");
    map_places.clear();
    event_list.clear();
    pairs.clear();
    decisions.clear();
    steps.clear();
    considered.clear();
    world_choices.clear();
    early_timeout = {};
    if (has_branches != 0) {
      has_branches = 0;
      std::memset(edges, 0, sizeof edges);
      compared_values.clear();
      compared_bytes.clear();
    }
    failure = {};
    waits.clear();
    repeated_reads.clear();
    stacks.clear();
    report.set("");
    values.set("");
  }
};

enum ModuleFlags : std::uint32_t { kModulePatched = 1, kModuleMain = 2, kModuleSystem = 4 };

struct ModuleRecord {
  std::uint32_t hash;   // module_hash(path)
  std::uint32_t flags;  // ModuleFlags
  std::uint64_t base;   // load bias
  std::uint64_t end;
  SharedText<232> path;
};

// How often a system call was the reason for a run to retire.
struct Retirements {
  std::int32_t call;
  std::uint32_t count;
};

struct SharedMemory {
  char magic[8];
  std::uint32_t version;
  std::uint32_t bytes;

  // Fuzzer → runtime.
  std::atomic<std::uint32_t> cache_disabled;     // set for an audit: never answer from the cache
  std::uint32_t schedule_timeout_ms;             // 0: none
  std::uint32_t has_small_map;                   // AFL++'s map has kSmallMap bytes
  std::uint32_t keeps_output;                    // 1: store the output in `output`
  std::atomic<std::uint32_t> in_place_disabled;  // 1: every run gets a process of its own
  std::atomic<std::uint32_t> runtime_started;  // set by the runtime just before the program begins

  // Runtime → fuzzer; persists over all runs.
  std::uint64_t forks;  // runs of the fork server, in children of their own or in place
  std::uint64_t cache_hits;
  std::uint32_t fork_point;  // 0 not yet, 1 at program start, 2 at the first thread
  std::uint32_t carrier;     // 0 kernel threads, 1 fibers
  SharedText<256> fork_point_reason;
  SharedText<256> carrier_reason;
  std::uint64_t in_place;    // runs after which the process was restored and went on
  std::uint64_t retired;     // runs after which that was not possible
  SharedText<128> snapshot;  // how runs are made in place, or why they are not; empty: not tried
  SharedList<Retirements, 32> retirements;
  SharedText<256> unchecked;  // why the checks see less than they could; empty: they do not
  SharedText<256> panic;      // the reason why the runtime gave up; empty if it did not
  // The sequence number of the last run that created a process, and of the last one in which such a
  // process called setsid.
  std::atomic<std::uint64_t> made_processes;
  std::atomic<std::uint64_t> detached;
  SharedList<ModuleRecord, 256> modules;
  SharedList<SharedText<64>, 256> unmodelled_calls;
  // Sites that access memory used by two threads. The list only grows; a schedule stores the length
  // that it used.
  SharedList<std::uint64_t, 1 << 18> points;

  RunRecord run;

  // Written only by runs that are confirmed or replayed.
  SharedOutput output;

  bool valid() const {
    return std::memcmp(magic, kSharedMagic, sizeof magic) == 0 && version == kSharedVersion &&
           bytes == sizeof(SharedMemory);
  }
  // Makes fresh (zero) memory valid.
  void initialize() {
    version = kSharedVersion;
    bytes = sizeof(SharedMemory);
    std::memcpy(magic, kSharedMagic, sizeof magic);
  }
};

// Environment variables by which the launcher controls the runtime. They are removed before the
// program runs.
inline constexpr char kSharedPathVariable[] = "RFF_SHARED";  // path of the SharedMemory file
inline constexpr char kSchedulePathVariable[] =
    "RFF_SCHEDULE";  // one run: the schedule file (no fork server)
inline constexpr char kTracePathVariable[] =
    "RFF_TRACE";  // one run: write a trace (schedule/trace.h)
inline constexpr char kTraceAllVariable[] = "RFF_TRACE_ALL";  // the trace includes private accesses
inline constexpr char kTraceCallersVariable[] =
    "RFF_TRACE_CALLERS";  // the trace includes the callers of each event
inline constexpr char kDebuggedVariable[] =
    "RFF_DEBUGGED";  // a debugger is attached: give the threads names
inline constexpr char kCarrierVariable[] = "RFF_CARRIER";    // auto, fiber, thread
inline constexpr char kJoinVariable[] = "RFF_JOIN";          // off: every access calls its hook
inline constexpr char kSnapshotVariable[] = "RFF_SNAPSHOT";  // auto, uffd, copy, off
inline constexpr char kTurnVariable[] =
    "RFF_TURN";  // a descriptor of the program's file, to take turns with other runs
// The processor to which afl-fuzz and the runtime bind themselves, as soon as the program cannot
// observe it.
inline constexpr char kProcessorVariable[] = "RFF_PROCESSOR";
// The number of processors that the program sees; kDefaultProcessors if it is not set.
inline constexpr char kSeenProcessorsVariable[] = "RFF_SEEN_PROCESSORS";
// The checks, as checks_to_text writes them; none if it is not set.
inline constexpr char kChecksVariable[] = "RFF_CHECKS";
// For rff-launch: the file to use as standard input, and the value of LD_LIBRARY_PATH. Its parent
// (afl-fuzz, a debugger) uses neither.
inline constexpr char kInputVariable[] = "RFF_INPUT";
inline constexpr char kLibraryPathVariable[] = "RFF_LIBRARY_PATH";

}  // namespace rff
