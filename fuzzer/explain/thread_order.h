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
// Returns the number of thread switches in the order.
std::size_t switch_count(const ThreadOrder& order);

// Returns `schedule` with the order as its guide.
Schedule guided(const Schedule& schedule, const ThreadOrder& order);

// Moves [begin, end) to just before position `to`, which must be outside of the range;
// order.size() moves it to the end.
ThreadOrder moved(const ThreadOrder& order, std::size_t begin, std::size_t end, std::size_t to);

// Joins each thread's steps within [begin, end) into one stretch, ordered by the first or by the
// last steps of the threads. With kLastStep, the thread that holds a lock at `end` keeps it.
enum class GroupedBy { kFirstStep, kLastStep };
ThreadOrder grouped(const ThreadOrder& order, std::size_t begin, std::size_t end,
                    GroupedBy by = GroupedBy::kFirstStep);

// Moves all steps of a thread to the beginning or to the end.
ThreadOrder with_first(const ThreadOrder& order, std::uint16_t thread);
ThreadOrder with_last(const ThreadOrder& order, std::uint16_t thread);

// Returns the position in the order at which the event of this step was chosen; nothing if it was
// not a scheduling point.
std::optional<std::size_t> position(const Trace& trace, std::uint64_t step);

// Returns orders to try, in which the read reads from another write.
std::vector<ThreadOrder> reversed_orders(const Trace& trace, const ThreadOrder& order,
                                         const StoryEvent& read);
// Returns the order in which the thread before this event was not preempted there: it continues
// through its step `until`, or as far as possible if that is 0.
std::optional<ThreadOrder> without_switch(const Trace& trace, const ThreadOrder& order,
                                          const StoryEvent& after, std::uint64_t until);

}  // namespace rff
