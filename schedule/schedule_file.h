// What determines one run completely, and the file that holds it.
//
// File: "RFFSCHED", version, body length, checksum of the body, body; all little-endian with
// fixed-size numbers and counted, bounded lists. Reading never trusts a size it has not checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/abstract_schedule.h"
#include "schedule/event.h"

namespace rff {

enum class SchedulerKind : std::uint8_t {
  kRff,         // constraints, and POS where they leave a choice
  kPos,         // partial order sampling
  kPct,         // random priorities with d-1 changes
  kRandom,      // random walk
  kWindow,      // as kRff, but POS rather interrupts a thread between two accesses to one place
  kSteady,      // no preemption: a thread runs as long as it can
  kRoundRobin,  // the first thread as far as it goes, then every point another thread
  kCount
};
enum class TimeoutPolicy : std::uint8_t { kFair, kAny };
enum class FindingKind : std::uint8_t { kNone, kAssert, kCrash, kDeadlock, kHang, kExit, kCount };

std::string_view scheduler_name(SchedulerKind kind);
std::optional<SchedulerKind> scheduler_from_name(std::string_view name);
std::string_view finding_name(FindingKind kind);
std::optional<FindingKind> finding_from_name(std::string_view name);

// One choice of the scheduler among two or more enabled threads. `thread` is the ordinal of the
// thread in order of creation; `check` are 15 bits of the chosen event's id, which tell at once
// when a replay goes astray; the top bit of `check` says that a timed wait was made to expire.
struct Decision {
  static constexpr std::uint16_t kTimedOut = 0x8000;
  std::uint16_t thread = 0;
  std::uint16_t check = 0;
  auto operator<=>(const Decision&) const = default;
};
static_assert(sizeof(Decision) == 4);

// Which code locations are scheduling points, besides thread primitives and words that two threads
// have already used in the run: either the first `shared_version` entries of the campaign's growing
// list (in shared memory), or, in a file that stands alone, the listed sites.
struct SchedulingPoints {
  bool every_access = false;  // for the first 65,536 points of a run
  bool listed = true;
  std::uint32_t shared_version = 0;
  std::vector<CodeName> sites;  // sorted
  bool operator==(const SchedulingPoints&) const = default;
};

// The program a schedule belongs to.
struct Target {
  std::string path;
  std::vector<std::string> arguments;  // without argv[0]
  std::string build_id;                // hex; of the original program
  std::uint64_t input_digest = 0;      // of standard input and of files named by arguments
  std::string standard_input;          // path; empty: /dev/null
  // Shared libraries that are no part of the system: the loader is to look in their folders, first
  // those of patched copies.
  std::vector<std::string> libraries;
  bool operator==(const Target&) const = default;
};

// What a run of this schedule led to, and the whole sequence of decisions that led there.
struct Finding {
  FindingKind kind = FindingKind::kNone;
  std::string summary;
  CodeName place;                // where it failed
  std::uint64_t trace_hash = 0;  // over every event of the run with its value
  std::vector<Decision> decisions;
  bool operator==(const Finding&) const = default;
};

struct Schedule {
  static constexpr std::uint32_t kDefaultPatience = 1000;

  std::vector<Decision> prefix;  // replayed first
  // The prefix is no command but a guide: the threads pass their scheduling points in that order as
  // far as they can. Such schedules are made by changing a recorded order.
  bool guided = false;
  AbstractSchedule constraints;
  SchedulerKind scheduler = SchedulerKind::kRff;
  std::uint32_t pct_depth = 3;
  std::uint32_t pct_length = 0;               // estimated number of scheduling points; 0: unknown
  std::uint32_t patience = kDefaultPatience;  // K: decisions a constraint may hold a thread back
  TimeoutPolicy timeouts = TimeoutPolicy::kFair;
  bool exit_is_finding = false;
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 0;  // 0: the runtime's own hang limit
  SchedulingPoints points;
  Target target;
  std::optional<Finding> finding;

  bool operator==(const Schedule&) const = default;
};

inline constexpr std::uint32_t kScheduleVersion = 2;
inline constexpr std::size_t kMaxScheduleBytes = std::size_t{256} << 20;

std::string encode_schedule(const Schedule& schedule);

// Either a schedule, or one line that says what is wrong with the bytes.
struct DecodeResult {
  std::optional<Schedule> schedule;
  std::string error;
};
DecodeResult decode_schedule(std::string_view bytes);

}  // namespace rff
