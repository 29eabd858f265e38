// Interface of schedulers, which decide which enabled thread runs next, and their factories.
#pragma once

#include <memory>
#include <span>

#include "libsched/engine/driver.h"
#include "libsched/engine/listeners.h"
#include "libsched/engine/pending_threads.h"
#include "libsched/engine/progress.h"
#include "libsched/engine/thread.h"
#include "schedule/hash.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

// Lets schedulers ask for the last writer of a location.
class LastWriters {
 public:
  virtual ~LastWriters() = default;
  // Returns the id of the abstract event that last wrote the first byte at `address`; the id of
  // init(x) if no event has.
  virtual std::uint64_t last_writer(std::uint64_t address) = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Returns one of `threads.enabled()`, and of `threads.eager()` if that is not empty. Requires:
  // there are two or more, unless the scheduler sees every point. Null: the run ends here, and
  // nothing is learned from it.
  virtual Thread* pick(const PendingThreads& threads) = 0;
  // Called when an operation takes effect. Its thread is no longer pending.
  virtual void executed(Thread&, const Operation&, const PendingThreads& others) { (void)others; }
  // Whether pick() is also called when only one thread can go on.
  virtual bool sees_every_point() const { return false; }
  // For such a scheduler: the thread has stopped with its pending operation and these registers.
  virtual void stopped(const Thread&, const StopContext&) {}
  // Returns the listener for changes of crowds; null if the scheduler needs none.
  virtual CrowdListener* crowds() { return nullptr; }

  // Outcome of the constraints, for the fuzzer.
  struct ConstraintCounts {
    std::uint32_t satisfied = 0, abandoned = 0, rejected = 0;
  };
  virtual ConstraintCounts constraint_counts() const { return {}; }
  // Returns all that could be chosen, and what was, for the fuzzer.
  virtual std::span<const ConsideredAction> considered() { return {}; }
};

// make_reads_from, make_pos, …: one factory for each row of schedule/scheduler_table.h, each
// defined in the file of its scheduler.
#define RFF_FACTORY(enumerator, factory, ...) \
  std::unique_ptr<Scheduler> make_##factory(const Schedule& schedule, LastWriters& memory);
RFF_SCHEDULERS(RFF_FACTORY)
#undef RFF_FACTORY

// Follows `order` as far as possible and then asks `then`.
std::unique_ptr<Scheduler> make_guided(const std::vector<Decision>& order,
                                       std::unique_ptr<Scheduler> then);

// Returns the scheduler that the schedule names, wrapped in a guide if it has one.
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory);

// Wraps `then`: threads that block each other get past each other, spinning threads take turns, and
// no thread is passed over forever.
std::unique_ptr<Scheduler> make_fair(std::unique_ptr<Scheduler> then, const Progress& progress,
                                     std::uint64_t seed);
// Wraps `then`: follows recorded decisions while they last.
std::unique_ptr<Scheduler> make_replay(const std::vector<Decision>& decisions, Progress& progress,
                                       RunListener& listener, std::unique_ptr<Scheduler> then);
// Wraps `then`: the driver decides wherever it wants to.
std::unique_ptr<Scheduler> make_interactive(Driver& driver, const Progress& progress,
                                            std::unique_ptr<Scheduler> then);
// Returns the complete scheduler for a run. `schedule` must outlive it. `driver`: null if nobody
// drives the run.
std::unique_ptr<Scheduler> make_run_scheduler(const Schedule& schedule, LastWriters& memory,
                                              Progress& progress, RunListener& listener,
                                              Driver* driver = nullptr);

}  // namespace rff
