// The memory that the runtime (in the target) and the fuzzer share: one fixed layout, in a file
// both map.
//
// The fuzzer creates and owns the file; one runtime at a time writes into it. The writer may die
// between any two instructions: so records are written first and counted afterwards (release),
// readers load the count (acquire), clamp it to the capacity and read only that far.
// `RunRecord::state` says how far the run came.
//
// The layout is no file format: both sides come from one installation, and a runtime refuses memory
// whose kSharedVersion or size is not its own. Any change of the layout changes kSharedVersion.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "schedule/event.h"
#include "schedule/failure.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_text.h"

namespace rff {

inline constexpr char kSharedMagic[8] = {'R', 'F', 'F', 'S', 'H', 'A', 'R', 'E'};
inline constexpr std::uint32_t kSharedVersion = 11;

// How much of a list is there that one process appends to and another reads.
template <std::uint32_t kCapacity>
struct SharedCount {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> overflowed;  // how many did not fit

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
  // `place(n)`: where the n-th one is.
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

// The same, growing downwards from the field that follows: a short run then uses one page for the
// two. Every page costs it a fault.
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

// What happened at a scheduling point, in the order of the run.
struct Step {
  static constexpr std::uint16_t kPoint = 0x8000;
  std::uint64_t address;  // of the memory or object; 0: none
  std::uint64_t value;    // of memory (the first word of a range): read or written
  std::uint32_t event;    // index into RunRecord::event_list
  std::uint16_t thread;   // in order of creation
  std::uint16_t check;  // of the event the thread had stopped with, as in Decision, and kPoint; 0:
                        // it came with the step before it, and nobody could have come between
};

struct SharedWait : WaitFacts {
  SharedText<32> thread_name, holder_name;
};

// FailureStack in the record.
struct SharedStack {
  static constexpr std::uint32_t kMostFrames = 24;
  std::uint32_t thread;
  std::uint32_t count;
  CodeName frames[kMostFrames];
};

enum class RunState : std::uint32_t { kNone, kStarted, kEnded };
enum class RunOutcome : std::uint32_t {
  kUnknown,       // the process died without a word
  kNormal,        // the program ended by itself
  kFinding,       // RunRecord::finding says what
  kUnresponsive,  // cut off by wall-clock time
  kDiverged,      // a replay could not follow its decisions (RunRecord::divergence says where)
  kBadSchedule,   // the test case could not be decoded (RunRecord::words say why)
};

enum RunFlags : std::uint32_t {
  kTouchedOutside = 1,  // waited for something outside the process
  kNeededTimeout = 2,   // a timed wait was made to expire although others could run
  kFromCache = 4,       // answered from the fork server's cache
  kNoThreads = 8,       // the program never created a thread
};

// In front of a downward list of whole pages: so much of it will be on the page that it shares.
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPartOfPage = 512;

// Everything one run reports.
struct RunRecord {
  alignas(kPageBytes) std::uint8_t before_map_places[kPartOfPage];
  // Places in AFL++'s map, which is the fork server's to fill in: a child that wrote there itself
  // would touch most of its pages, each for the first time.
  DownwardList<std::uint16_t, 1 << 15> map_places;

  std::atomic<RunState> state;
  std::atomic<RunOutcome> outcome;
  std::uint64_t sequence;  // of runs executed by this fork server, from 1
  std::uint32_t flags;     // RunFlags
  FindingKind finding;
  std::uint8_t reserved[3];
  CodeName place;            // where the finding happened
  std::int32_t wait_status;  // as from waitpid; the fork server writes it when the run has ended
  std::uint32_t reserved_too;
  std::uint64_t events;
  std::uint64_t scheduling_points;  // events at which the thread stopped
  std::uint64_t switches;
  std::uint32_t threads;
  std::uint32_t points_version;  // of SharedMemory::points used by this run
  std::uint64_t rf_combination;  // hash of the set of rf pairs
  std::uint64_t control_flow;    // hash of the per-thread site→site edges
  std::uint64_t trace_hash;      // over every event with its thread and value, in order
  std::uint32_t satisfied;       // constraints, at the end of the run
  std::uint32_t abandoned;
  std::uint32_t rejected;
  // The program's own words about its failure, an assertion for one; else why a test case could not
  // be decoded.
  SharedText<1024> words;
  SharedList<AbstractEvent, 1 << 15> event_list;  // distinct abstract events of the run

  SharedList<ReadsFromPair, 1 << 16> pairs;  // distinct rf pairs of the run

  alignas(kPageBytes) std::uint8_t before_decisions[kPartOfPage];
  DownwardList<Decision, 1 << 22> decisions;
  SharedList<Step, 1 << 16> steps;  // the first ones of a long run

  // Written by runs that fail or diverge; apart from what every run writes.
  FailureFacts failure;
  DivergenceFacts divergence;
  SharedList<SharedWait, 64> waits;  // of a deadlock, or where the threads of a hang are
  SharedList<RepeatedRead, 256> repeated_reads;
  SharedList<SharedStack, 64> stacks;
  SharedText<16384> report;  // of a sanitizer

  // Before a run starts; with a fork server, in the server: its pages are there already.
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
    failure = {};
    waits.clear();
    repeated_reads.clear();
    stacks.clear();
    report.set("");
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

// What the program wrote to its standard output and error: the last of it.
struct SharedOutput {
  static constexpr std::uint32_t kCapacity = 64 << 10;
  std::atomic<std::uint64_t> total;  // bytes written, kept or not
  char bytes[kCapacity];             // a ring

  void append(std::string_view text) {
    std::uint64_t at = total.load(std::memory_order_relaxed);
    total.store(at + text.size(), std::memory_order_release);
    if (text.size() > kCapacity) {
      at += text.size() - kCapacity;
      text.remove_prefix(text.size() - kCapacity);
    }
    std::size_t first = std::min<std::size_t>(text.size(), kCapacity - at % kCapacity);
    std::memcpy(bytes + at % kCapacity, text.data(), first);
    std::memcpy(bytes, text.data() + first, text.size() - first);
  }
  std::uint64_t left_out() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return n > kCapacity ? n - kCapacity : 0;
  }
  // What is kept, in two parts.
  std::string_view older() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return n > kCapacity ? std::string_view(bytes + n % kCapacity, kCapacity - n % kCapacity)
                         : std::string_view();
  }
  std::string_view newer() const {
    std::uint64_t n = total.load(std::memory_order_acquire);
    return {bytes, n > kCapacity ? n % kCapacity : n};
  }
};

struct SharedMemory {
  char magic[8];
  std::uint32_t version;
  std::uint32_t bytes;

  // Fuzzer → runtime.
  std::atomic<std::uint32_t> cache_disabled;   // audit: never answer from the cache
  std::uint32_t schedule_timeout_ms;           // 0: none
  std::uint32_t keeps_output;                  // 1: `output` is wanted
  std::atomic<std::uint32_t> runtime_started;  // by the runtime: the program is about to begin

  // Runtime → fuzzer, kept over all runs.
  std::uint64_t forks;  // children made by the fork server
  std::uint64_t cache_hits;
  std::uint32_t fork_point;  // 0 not yet, 1 at program start, 2 at the first thread
  std::uint32_t carrier;     // 0 kernel threads, 1 fibers
  SharedText<256> fork_point_reason;
  SharedText<256> carrier_reason;
  SharedText<256> panic;  // why the runtime could not go on, if so
  // The sequence numbers of the last run that made a process, and of the last one of which such a
  // process began a session of its own.
  std::atomic<std::uint64_t> made_processes;
  std::atomic<std::uint64_t> detached;
  SharedList<ModuleRecord, 256> modules;
  SharedList<SharedText<64>, 256> unmodelled_calls;
  // Sites found to touch memory that two threads use; only grows. A schedule names how many it
  // used.
  SharedList<std::uint64_t, 1 << 18> points;

  RunRecord run;

  // Of one run that is confirmed or replayed; no other run touches it.
  SharedOutput output;

  bool valid() const {
    return std::memcmp(magic, kSharedMagic, sizeof magic) == 0 && version == kSharedVersion &&
           bytes == sizeof(SharedMemory);
  }
  // Makes fresh (zero) memory valid.
  void initialise() {
    version = kSharedVersion;
    bytes = sizeof(SharedMemory);
    std::memcpy(magic, kSharedMagic, sizeof magic);
  }
};

// How the launcher tells the runtime what to do. All are removed from the environment before the
// program runs.
inline constexpr char kSharedPathVariable[] = "RFF_SHARED";  // path of the SharedMemory file
inline constexpr char kSchedulePathVariable[] =
    "RFF_SCHEDULE";  // one run: the schedule file (no fork server)
inline constexpr char kTracePathVariable[] =
    "RFF_TRACE";  // one run: write a trace (schedule/trace.h)
inline constexpr char kTraceAllVariable[] = "RFF_TRACE_ALL";  // the trace has private accesses too
inline constexpr char kTraceCallersVariable[] =
    "RFF_TRACE_CALLERS";  // the trace has the callers of each event
inline constexpr char kDebuggedVariable[] =
    "RFF_DEBUGGED";  // a debugger watches: name the threads for it
inline constexpr char kCarrierVariable[] = "RFF_CARRIER";  // auto, fiber, thread
// The processor that afl-fuzz and the runtime shall use, each from when the program can no longer
// see it.
inline constexpr char kProcessorVariable[] = "RFF_PROCESSOR";
// For rff-launch: the file that becomes standard input, and what becomes LD_LIBRARY_PATH. Whoever
// starts it (afl-fuzz, a debugger) has neither.
inline constexpr char kInputVariable[] = "RFF_INPUT";
inline constexpr char kLibraryPathVariable[] = "RFF_LIBRARY_PATH";

}  // namespace rff
