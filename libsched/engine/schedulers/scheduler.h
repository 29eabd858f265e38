// The one decision of the runtime: which of the enabled threads goes on.
#pragma once

#include <memory>

#include "libsched/engine/listeners.h"
#include "libsched/engine/pending_threads.h"
#include "libsched/engine/progress.h"
#include "libsched/engine/thread.h"
#include "schedule/hash.h"
#include "schedule/schedule_file.h"

namespace rff {

// What schedulers may ask about memory: who wrote a location last.
class LastWriters {
 public:
  virtual ~LastWriters() = default;
  // Id of the abstract event that last wrote the first byte at `address`; the id of init(x) if
  // nobody has.
  virtual std::uint64_t last_writer(std::uint64_t address) = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // One of `threads.enabled()`, and of `threads.eager()` if there are any. Requires: there are two
  // or more.
  virtual Thread* pick(const PendingThreads& threads) = 0;
  // The operation of a thread that is pending no more takes effect.
  virtual void executed(Thread&, const Operation&, const PendingThreads& others) { (void)others; }
  // A scheduler that wants to be told of crowds says to whom.
  virtual CrowdListener* crowds() { return nullptr; }

  // Outcome of constraints, for the fuzzer.
  struct ConstraintCounts {
    std::uint32_t satisfied = 0, abandoned = 0, rejected = 0;
  };
  virtual ConstraintCounts constraint_counts() const { return {}; }
};

// make_reads_from, make_pos, …: one factory for each row of schedule/scheduler_table.h, defined in
// the file of the scheduler.
#define RFF_FACTORY(enumerator, factory, ...) \
  std::unique_ptr<Scheduler> make_##factory(const Schedule& schedule, LastWriters& memory);
RFF_SCHEDULERS(RFF_FACTORY)
#undef RFF_FACTORY

// Follows `order` as far as it can and then asks `then`.
std::unique_ptr<Scheduler> make_guided(const std::vector<Decision>& order,
                                       std::unique_ptr<Scheduler> then);

// The policy that a schedule asks for, guided if it asks for that.
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory);

// Wraps `then`: threads that are in each other's way get past each other, threads that only spin
// take turns, and no thread is passed over for ever.
std::unique_ptr<Scheduler> make_fair(std::unique_ptr<Scheduler> then, const Progress& progress,
                                     std::uint64_t seed);
// Wraps `then`: follows recorded decisions as far as they go.
std::unique_ptr<Scheduler> make_replay(const std::vector<Decision>& decisions, Progress& progress,
                                       RunListener& listener, std::unique_ptr<Scheduler> then);
// All of it: what decides in a run of the schedule, which must outlive it.
std::unique_ptr<Scheduler> make_run_scheduler(const Schedule& schedule, LastWriters& memory,
                                              Progress& progress, RunListener& listener);

}  // namespace rff
