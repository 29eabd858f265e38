// The one decision of the runtime: which of the enabled threads goes on.
#pragma once

#include <memory>

#include "libsched/engine/pending_threads.h"
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

class Scheduler : public CrowdListener {
 public:
  // One of `threads.eager()`. Requires: there are some.
  virtual Thread* pick(const PendingThreads& threads) = 0;
  // The operation of a thread that is pending no more takes effect.
  virtual void executed(Thread&, const Operation&, const PendingThreads& others) { (void)others; }

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

// The scheduler that a schedule asks for.
std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory);

}  // namespace rff
