// What rff-fuzz and its plug-ins inside afl-fuzz share: the plan, the counters behind the live
// line, and the form of the messages by which a plug-in hands over what it found. Both ends come
// from one build, so no versions.
#pragma once

#include <atomic>
#include <cstdint>

#include "fuzzer/common/shared_id_set.h"
#include "schedule/event.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

inline constexpr std::uint32_t kMaxInstances = 64;

// How the campaign tells a plug-in where everything is.
inline constexpr char kCampaignVariable[] = "RFF_CAMPAIGN";  // path of the CampaignMemory
inline constexpr char kInstanceVariable[] = "RFF_INSTANCE";  // index of the instance
inline constexpr char kSocketVariable[] =
    "RFF_CAMPAIGN_SOCKET";  // descriptor for Reports and Replies

// Written by one plug-in, read by rff-fuzz at any time.
struct InstanceStatus {
  std::atomic<std::uint64_t> schedules;     // runs that came to an end
  std::atomic<std::uint64_t> corpus;        // members it found itself
  std::atomic<std::uint64_t> unresponsive;  // cut off by the clock
  std::atomic<std::uint64_t> lost;          // died without a word, or could not run as asked
  std::atomic<std::uint64_t> bad_exits;     // ended with a status other than 0, no finding
  std::atomic<std::uint64_t> events;        // sums over all runs
  std::atomic<std::uint64_t> scheduling_points;
  std::atomic<std::uint32_t> without_threads;  // runs in which the program created no thread
  std::atomic<std::uint32_t> overflowed;       // OverflowedList: all that runs lost something of
  std::atomic<std::uint32_t> in_flight;        // schedules claimed and not yet completed
  // Written by rff-fuzz: how often it was started again.
  std::atomic<std::uint32_t> restarts;
};

struct CampaignMemory {
  // Fixed before the first instance starts.
  std::uint64_t seed;
  SchedulerKind scheduler;
  bool paper;  // the search as published
  TimeoutPolicy timeouts;
  bool exit_is_finding;
  std::uint32_t pct_depth;
  std::uint32_t instances;
  std::uint64_t max_schedules;     // 0: no limit
  std::uint64_t schedules_before;  // of the campaign that this one resumes
  bool until_bug;
  bool audit;
  SharedText<4096> folder;
  SharedText<4096> initial_corpus;  // folder; empty: the empty schedule

  std::atomic<std::uint64_t>
      claimed;  // schedules given to some instance, so that all together run max_schedules
  std::atomic<std::uint64_t> completed;  // numbers them in the order they end
  std::atomic<std::uint32_t> stop;

  InstanceStatus instance[kMaxInstances];
  SharedIdSet<1 << 20> rf_pairs;  // of all instances together
  SharedIdSet<1 << 22> rf_combinations;
};

enum class ReportKind : std::uint32_t {
  kFinding,       // `path`: the schedule with its finding; a Reply follows
  kSameFinding,   // another run that failed in a way already confirmed
  kAudit,         // `path`: a run to repeat and compare
  kUnresponsive,  // `path`: a schedule whose run did not end, with where its threads were
  kLost,          // a run that ended without a word; `path`: what is known of it
  kTrouble,       // `path`: what went wrong, for the user; the instance stops
};

struct Report {
  ReportKind kind;
  FindingKind finding;
  std::uint32_t instance;
  CodeName place;         // of the finding, or of the last event of a run that was lost
  OpKind last_operation;  // of a run that was lost
  std::int32_t wait_status;
  std::uint64_t key;       // of the failure (failure_key)
  std::uint64_t schedule;  // number, from 1
  SharedText<1024> path;
};

enum class Reply : std::uint32_t { kConfirmed, kUnstable, kStop };

}  // namespace rff
