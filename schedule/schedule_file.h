// A Schedule determines one run completely. This file defines it and the file format that stores
// it.
//
// File: "RFFSCHED", version, body length, checksum of the body, body; all little-endian. The body
// is a list of sections; each has a tag of four letters, flags, the length of its contents, and the
// contents. An absent section means the defaults. A reader skips an optional section it does not
// know and refuses a required one. New contents become new sections (see kSections in
// schedule_file.cc), never a new layout of a known one. Version 2, one fixed sequence of fields, is
// still read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/abstract_schedule.h"
#include "schedule/checks.h"
#include "schedule/event.h"
#include "schedule/event_check.h"
#include "schedule/event_selection.h"
#include "schedule/failure.h"
#include "schedule/program_input.h"
#include "schedule/scheduler_table.h"

namespace rff {

// How long a thread may be preempted, in virtual nanoseconds: a timed wait ends although another
// thread could run only if its deadline is at most so long after that thread last ran or became
// able to. So that a thread that sleeps while others work is not forgotten, each step of a run
// counts as kStepTime of its wait. 0: only when nothing else can run; kAnyPreemption: at any point.
using Preemption = std::uint64_t;
inline constexpr Preemption kNoPreemption = 0;
inline constexpr Preemption kAnyPreemption = ~Preemption{0};
inline constexpr Preemption kDefaultPreemption = 5'000'000;
inline constexpr std::uint64_t kStepTime = 1'000;

// One choice of the scheduler among two or more enabled threads. `thread` is the ordinal of the
// thread in order of creation (see kMaxThreads); `check` lets a replay detect a divergence at once.
struct Decision {
  std::uint16_t thread = 0;
  EventCheck check;
  auto operator<=>(const Decision&) const = default;
};
static_assert(sizeof(Decision) == 4);

// Stop points that the user chose (--stop-at).
struct StopRule {
  enum class Kind : std::uint8_t {
    kPrimitives,  // nothing besides them
    kAccesses,    // accesses that would be scheduling points if nothing had been chosen
    kEntries,     // entries of functions, in `ranges`
    kCode,        // accesses by code in `ranges`
    kMemory,      // accesses to memory in `ranges`
    kCount
  };

  std::string text;  // as the user wrote it
  Kind kind = Kind::kPrimitives;
  std::vector<ModuleRange> ranges;  // sorted, disjoint; empty with the first two kinds
  // The rule counts only while one of these functions is on the stack; empty: always. Sorted,
  // disjoint.
  std::vector<ModuleRange> within;
  bool operator==(const StopRule&) const = default;
};

// Which code locations are scheduling points, besides thread primitives and what the run itself
// finds (`racing`): either the first `shared_version` entries of the campaign's growing list (in
// shared memory), or, in a self-contained file, the listed sites.
struct SchedulingPoints {
  // The run stops where an access may race with an earlier one; otherwise, as in files of older
  // versions, at every access to a word that two threads have used.
  bool racing = false;
  bool every_access = false;  // for the first 65,536 points of a run
  bool listed = true;
  std::uint32_t shared_version = 0;
  std::vector<CodeName> sites;        // sorted
  std::vector<CodeName> handed_over;  // sorted; see PointName
  // Not empty: no access is a scheduling point but by one of these rules. Thread primitives always
  // are: one that waits without being a point would look like a deadlock. The sites above are then
  // those whose accesses are recorded.
  std::vector<StopRule> stops;

  bool chosen() const { return !stops.empty(); }
  bool chosen(StopRule::Kind kind) const {
    return std::any_of(stops.begin(), stops.end(),
                       [&](const StopRule& rule) { return rule.kind == kind; });
  }
  // Whether runs may enlarge the set of points.
  bool may_grow() const { return !chosen() || chosen(StopRule::Kind::kAccesses); }
  bool operator==(const SchedulingPoints&) const = default;
};

// How many processors the program sees, whatever the machine has.
inline constexpr std::uint32_t kDefaultProcessors = 4;
inline constexpr std::uint32_t kMaxProcessors = 1024;  // as many as a cpu_set_t holds

// The program a schedule belongs to, and what it sees of the machine from its start on.
struct Target {
  std::string path;
  std::vector<std::string> arguments;  // without argv[0]
  std::string build_id;                // of the original program, in hex
  std::uint64_t input_digest = 0;      // of standard input and of files named by arguments
  std::string standard_input;          // path; empty: /dev/null
  // Shared libraries that are not part of the system. The loader searches their folders, those of
  // patched copies first.
  std::vector<std::string> libraries;
  std::uint32_t processors = kDefaultProcessors;
  Checks checks;
  bool operator==(const Target&) const = default;
};

// The outcome of a run of this schedule, with the complete sequence of its decisions.
struct Finding {
  FindingKind kind = FindingKind::kNone;
  CodeName place;                // where the run failed
  std::uint64_t trace_hash = 0;  // over every event of the run with its value
  std::vector<Decision> decisions;
  Failure failure;

  // Two findings count as the same failure if they have the same kind and place.
  bool same_failure(const Finding& other) const {
    return kind == other.kind && place == other.place;
  }
  bool operator==(const Finding&) const = default;
};

// The number of points that a thread, with the threads that it creates, passed in earlier runs.
struct ThreadEstimate {
  std::uint64_t thread = 0;  // hash_bytes of its name
  std::uint64_t points = 0;
  auto operator<=>(const ThreadEstimate&) const = default;
};
struct Estimates {
  // selection_key of the events that count and are chosen among; 0: all events.
  std::uint64_t key = 0;
  std::vector<ThreadEstimate> threads;  // sorted
  EventSelection selection = {};
  bool operator==(const Estimates&) const = default;
};

// The cost that Q-learning knows of one action in one state. It is one word, so that a table is
// short enough to be part of a schedule.
struct LearnedValue {
  static constexpr unsigned kCostBits = 16;
  static constexpr std::uint64_t kCostMask = (1u << kCostBits) - 1;
  std::uint64_t packed = 0;  // high bits of hash_combine(state, action), then the cost

  static constexpr LearnedValue make(std::uint64_t state, std::uint64_t action,
                                     std::uint64_t cost) {
    return {(hash_combine(state, action) & ~kCostMask) | cost};
  }
  std::uint64_t choice() const { return packed & ~kCostMask; }
  // The negative of the value, in units of 1 / kOne.
  std::uint32_t cost() const { return static_cast<std::uint32_t>(packed & kCostMask); }
  static constexpr std::uint32_t kOne = 4096;
  auto operator<=>(const LearnedValue&) const = default;
};
inline constexpr std::size_t kMaxLearned = 1 << 14;
inline constexpr std::size_t kMaxStream = 1 << 20;

// The plan of a run of the systematic search: how it begins, and how it goes on.
struct Exploration {
  enum class Rest : std::uint8_t { kFirst, kLast, kRandom, kReadsLast, kCount };

  // The threads that make the first steps (see Systematic in the runtime), each with a check of
  // its event; no check: any event.
  std::vector<Decision> order;
  std::vector<std::uint32_t> choices;  // the first values of what the program's world chooses
  // Threads not to be chosen afterwards, until a step conflicts with what they are about to do;
  // with kReadsLast, until a step writes what they are about to read.
  std::vector<std::uint16_t> asleep;
  // Without an order: the thread that ran last as long as it can, then the next one, by number;
  // the same downwards; any; or, by number, those that only write before those that read.
  Rest rest = Rest::kFirst;
  std::uint64_t seed = 0;  // of that
  // Also what has no effect on others (see Systematic) is a step.
  bool every_primitive = false;
  // A thread whose loop has come back to where it was, having changed nothing, waits until memory
  // that it read there changes.
  bool loops_wait = false;
  bool operator==(const Exploration&) const = default;
};

struct Schedule {
  std::vector<Decision> prefix;  // replayed first
  // The prefix is a guide instead of a sequence of decisions: threads pass their scheduling points
  // in that order as far as possible. The search makes such prefixes by changing a recorded order.
  bool guided = false;
  AbstractSchedule constraints;
  SchedulerKind scheduler = SchedulerKind::kRff;
  // The parameters of all schedulers (scheduler_table.h); a file holds those of `scheduler`.
#define RFF_FIELD(enumerator, field, name, set_by, initial, least, most, help) \
  std::uint32_t field = initial;
  RFF_SCHEDULER_PARAMETERS(RFF_FIELD)
#undef RFF_FIELD
  Estimates estimates;  // for schedulers that weigh a thread by what it has left to do
  std::vector<LearnedValue> learned;  // for Q-learning; sorted
  Exploration exploration;            // for the systematic search
  std::string stream;                 // for the scheduler that takes decisions from bytes
  Preemption timeouts = kNoPreemption;
  bool exit_is_finding = false;
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 0;  // 0: the runtime's own hang limit
  SchedulingPoints points;
  Target target;
  ProgramInput input;
  std::optional<Finding> finding;

  bool operator==(const Schedule&) const = default;
};

inline constexpr std::uint32_t Schedule::*kParameterFields[] = {
#define RFF_FIELD(enumerator, field, ...) &Schedule::field,
    RFF_SCHEDULER_PARAMETERS(RFF_FIELD)
#undef RFF_FIELD
};

inline constexpr std::uint32_t kScheduleVersion = 3;
inline constexpr std::uint32_t kOldestScheduleVersion = 2;
inline constexpr std::size_t kMaxScheduleBytes = std::size_t{256} << 20;

std::string encode_schedule(const Schedule& schedule);

// Either a schedule, or an error message of one line.
struct DecodeResult {
  std::optional<Schedule> schedule;
  std::string error;
};
DecodeResult decode_schedule(std::string_view bytes);

}  // namespace rff
