// How several instances work on one systematic search. The first instance explores: it gives the
// others plans that are still to come, and they send back what the runs showed. A plan that is not
// answered is run by the first instance when it is its turn, so nothing depends on the others.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzzer/common/message_ring.h"
#include "fuzzer/common/run_summary.h"
#include "fuzzer/common/shared_mapping.h"
#include "schedule/schedule_file.h"

namespace rff {

// The memory between the first instance and one other.
struct PlanChannel {
  MessageRing<1 << 20> plans;    // schedules with their scheduling points
  MessageRing<8 << 20> records;  // ReceivedRun
};

// An instance's account of a run.
struct ReceivedRun {
  std::uint64_t plan = 0;             // the seed of its plan, which no other plan has
  bool usable = false;                // if not, there are no lists
  std::vector<std::uint64_t> points;  // scheduling points found since the last time
  std::vector<std::string> unmodelled_calls, unpatched_modules;  // all that is known
  RunSummary run;                                                // without pairs
  std::vector<AbstractEvent> events;
  std::vector<Step> steps;
  std::vector<ConsideredAction> considered;
  std::vector<WorldChoice> world_choices;
};

std::string encode_run(const ReceivedRun& received, const RunSummary& run);
std::optional<ReceivedRun> decode_run(std::string_view bytes);

// Used by the first instance.
class PlanGiver {
 public:
  PlanGiver(SharedMapping memory, std::uint32_t others);

  // Whether another instance has the plan of the schedule.
  bool is_out(const Schedule& schedule) const { return out_.contains(schedule.exploration.seed); }
  bool has_room() const;
  // Gives schedules that are not out to instances that have little to do. `used` are the scheduling
  // points that they refer to.
  void give(const std::vector<Schedule>& schedules, std::span<const std::uint64_t> used);
  // Takes what has come. Calls `learn` for each: the schedule is null if it is not known any more.
  void take(const std::function<void(const Schedule*, ReceivedRun&)>& learn);

 private:
  static constexpr std::size_t kWaiting = 2;  // plans that one instance has at most

  struct Other {
    PlanChannel* channel;
    std::vector<std::uint64_t> has;  // plans, in the order of giving
  };
  SharedMapping memory_;
  std::vector<Other> others_;
  std::map<std::uint64_t, Schedule> out_;
};

// Used by each other instance. One that was started again goes on with the plans that the one
// before it has not taken.
class PlanTaker {
 public:
  PlanTaker(SharedMapping memory, std::uint32_t index);

  std::optional<Schedule> take();
  // Tells of the run of the schedule.
  void answer(const Schedule& schedule, const RunSummary& run, const SharedMemory& shared);

 private:
  SharedMapping memory_;
  PlanChannel& channel_;
  std::uint32_t points_sent_ = 0;
};

}  // namespace rff
