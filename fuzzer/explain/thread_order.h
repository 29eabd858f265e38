// The order in which threads passed their scheduling points, and changes to it: merge two stretches
// of a thread, let a read come before its write. A changed order is a guide
// (Schedule::guided), which the runtime follows as far as it can.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/explain/story.h"
#include "schedule/schedule_file.h"

namespace rff {

using ThreadOrder = std::vector<std::uint16_t>;

// A stretch of one thread: [begin, end) of the order.
struct Stretch {
  std::uint16_t thread = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

ThreadOrder order_of(const Trace& trace);
std::vector<Stretch> stretches(const ThreadOrder& order);
// Changes of thread along the order.
std::size_t switch_count(const ThreadOrder& order);

// `schedule` with the order as its guide, to find out what it leads to.
Schedule guided(const Schedule& schedule, const ThreadOrder& order);

// Moves [begin, end) so that it comes right before what was at `to` (outside of the range;
// order.size(): last).
ThreadOrder moved(const ThreadOrder& order, std::size_t begin, std::size_t end, std::size_t to);

// Each thread's steps within [begin, end) in one stretch: in the order in which the threads began
// there, or in which they ended there. In the second a lock is kept by the one who had it at `end`.
enum class GroupedBy { kFirstStep, kLastStep };
ThreadOrder grouped(const ThreadOrder& order, std::size_t begin, std::size_t end,
                    GroupedBy by = GroupedBy::kFirstStep);

// All steps of a thread come first, or last.
ThreadOrder with_first(const ThreadOrder& order, std::uint16_t thread);
ThreadOrder with_last(const ThreadOrder& order, std::uint16_t thread);

// Where in the order the event of this step was chosen, if it was a scheduling point.
std::optional<std::size_t> position(const Trace& trace, std::uint64_t step);

// Orders in which the read does not see what it saw, or not in that order: to try one after the
// other.
std::vector<ThreadOrder> reversed_orders(const Trace& trace, const ThreadOrder& order,
                                         const StoryEvent& read);
// The thread that ran before this event was not stopped there: it goes on through its step `until`,
// or as far as it can if that is 0.
std::optional<ThreadOrder> without_switch(const Trace& trace, const ThreadOrder& order,
                                          const StoryEvent& after, std::uint64_t until);

}  // namespace rff
