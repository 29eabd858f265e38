// The row that would put the example into RFF_SCHEDULERS of schedule/scheduler_table.h, and what
// the macros there make of it.
#pragma once

#include "libsched/engine/schedulers/scheduler.h"

// clang-format off
#define RFF_EXAMPLE_SCHEDULER(row)                                                               \
  row(kNewestFirst, newest_first, "newest-first", kUser, 0,                                      \
      "the thread that was created last, as long as it can run", "nobody: an example")
// clang-format on

namespace rff {

#define RFF_FACTORY(enumerator, factory, ...) \
  std::unique_ptr<Scheduler> make_##factory(const Schedule& schedule, LastWriters& memory);
RFF_EXAMPLE_SCHEDULER(RFF_FACTORY)
#undef RFF_FACTORY

namespace scheduler_table {

#define RFF_ROW(enumerator, factory, name, chosen_by, parameters, help, source) \
  { name, chosen_by, parameters, help, source }
inline constexpr SchedulerRow kExample = RFF_EXAMPLE_SCHEDULER(RFF_ROW);
#undef RFF_ROW

}  // namespace scheduler_table
}  // namespace rff
