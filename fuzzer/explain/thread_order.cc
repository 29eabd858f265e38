#include "fuzzer/explain/thread_order.h"

#include <algorithm>

namespace rff {
namespace {

// The number of steps for a thread that has no recorded steps left.
constexpr std::size_t kAsFarAsItGoes = 1000;

// Moves all steps of `thread` in [from, to) to just before position `to`.
ThreadOrder delayed(const ThreadOrder& order, std::uint16_t thread, std::size_t from,
                    std::size_t to) {
  ThreadOrder result(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from));
  std::size_t held = 0;
  for (std::size_t i = from; i < to; ++i) {
    if (order[i] == thread) {
      ++held;
    } else {
      result.push_back(order[i]);
    }
  }
  result.insert(result.end(), held, thread);
  result.insert(result.end(), order.begin() + static_cast<std::ptrdiff_t>(to), order.end());
  return result;
}

// Moves all steps of `thread` in [from, to) to position `from`.
ThreadOrder advanced(const ThreadOrder& order, std::uint16_t thread, std::size_t from,
                     std::size_t to) {
  ThreadOrder result(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from));
  auto count = std::count(order.begin() + static_cast<std::ptrdiff_t>(from),
                          order.begin() + static_cast<std::ptrdiff_t>(to), thread);
  result.insert(result.end(), static_cast<std::size_t>(count), thread);
  for (std::size_t i = from; i < order.size(); ++i) {
    if (i >= to || order[i] != thread) {
      result.push_back(order[i]);
    }
  }
  return result;
}

bool overlaps(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a < b + std::max<std::uint64_t>(b_size, 1) && b < a + std::max<std::uint64_t>(a_size, 1);
}

}  // namespace

ThreadOrder order_of(const Trace& trace) {
  ThreadOrder order;
  order.reserve(trace.decisions.size());
  for (const trace::DecisionInfo& d : trace.decisions) {
    order.push_back(static_cast<std::uint16_t>(d.thread));
  }
  return order;
}

std::vector<Stretch> stretches(const ThreadOrder& order) {
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (result.empty() || result.back().thread != order[i]) {
      result.push_back({order[i], i, i});
    }
    result.back().end = i + 1;
  }
  return result;
}

std::size_t switch_count(const ThreadOrder& order) {
  std::size_t n = stretches(order).size();
  return n > 0 ? n - 1 : 0;
}

Schedule guided(const Schedule& schedule, const ThreadOrder& order) {
  Schedule s = schedule;
  s.finding.reset();
  s.constraints = {};
  s.scheduler = SchedulerKind::kSteady;
  s.guided = true;
  s.prefix.clear();
  for (std::uint16_t thread : order) {
    s.prefix.push_back({thread, 0});
  }
  return s;
}

ThreadOrder moved(const ThreadOrder& order, std::size_t begin, std::size_t end, std::size_t to) {
  ThreadOrder result = order;
  auto at = [&](std::size_t i) { return result.begin() + static_cast<std::ptrdiff_t>(i); };
  if (to <= begin) {
    std::rotate(at(to), at(begin), at(end));
  } else {
    std::rotate(at(begin), at(end), at(to));
  }
  return result;
}

ThreadOrder with_first(const ThreadOrder& order, std::uint16_t thread) {
  ThreadOrder result = order;
  std::stable_partition(result.begin(), result.end(), [&](std::uint16_t t) { return t == thread; });
  return result;
}

ThreadOrder with_last(const ThreadOrder& order, std::uint16_t thread) {
  ThreadOrder result = order;
  std::stable_partition(result.begin(), result.end(), [&](std::uint16_t t) { return t != thread; });
  return result;
}

ThreadOrder grouped(const ThreadOrder& order, std::size_t begin, std::size_t end, GroupedBy by) {
  ThreadOrder result = order;
  if (by == GroupedBy::kLastStep) {
    auto first = result.rend() - static_cast<std::ptrdiff_t>(end);
    auto last = result.rend() - static_cast<std::ptrdiff_t>(begin);
    while (first != last) {
      std::uint16_t thread = *first;
      first = std::stable_partition(first, last, [&](std::uint16_t t) { return t == thread; });
    }
    return result;
  }
  auto from = result.begin() + static_cast<std::ptrdiff_t>(begin);
  auto to = result.begin() + static_cast<std::ptrdiff_t>(end);
  while (from != to) {
    std::uint16_t thread = *from;
    from = std::stable_partition(from, to, [&](std::uint16_t t) { return t == thread; });
  }
  return result;
}

std::optional<std::size_t> position(const Trace& trace, std::uint64_t step) {
  auto it =
      std::lower_bound(trace.decisions.begin(), trace.decisions.end(), step - 1,
                       [](const trace::DecisionInfo& d, std::uint64_t s) { return d.step < s; });
  if (it == trace.decisions.end() || it->step != step - 1) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(it - trace.decisions.begin());
}

std::vector<ThreadOrder> reversed_orders(const Trace& trace, const ThreadOrder& order,
                                         const StoryEvent& read) {
  std::vector<ThreadOrder> result;
  auto at = position(trace, read.step);
  if (!at) {
    return result;
  }
  auto reader = static_cast<std::uint16_t>(read.thread);
  if (read.from == From::kOtherThread) {
    auto written = position(trace, read.from_step);
    if (written && *written < *at) {
      result.push_back(
          delayed(order, static_cast<std::uint16_t>(read.from_thread), *written, *at + 1));
      result.push_back(advanced(order, reader, *written, *at + 1));
      // Both threads may hold a lock, so whole stretches are exchanged.
      std::size_t begin = *written;
      while (begin > 0 && order[begin - 1] == order[begin]) {
        --begin;
      }
      result.push_back(advanced(order, reader, begin, *at + 1));
    }
    return result;
  }
  // The read saw the initial value: let a thread write first that wrote later or was about to.
  for (const trace::EventInfo& e : trace.events) {
    auto later = position(trace, e.step);
    if (e.step > read.step && e.thread != read.thread && e.event.writes() && later &&
        overlaps(e.address, e.event.size, read.address, read.event.size)) {
      result.push_back(delayed(order, reader, *at, *later + 1));
      break;
    }
  }
  for (const Trace::Wait& w : trace.waits) {
    auto writer = static_cast<std::uint16_t>(w.info.thread);
    if (writer != reader && op_writes(static_cast<OpKind>(w.info.op)) &&
        overlaps(w.info.object, 1, read.address, read.event.size)) {
      ThreadOrder changed = order;
      changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(*at), writer);
      result.push_back(std::move(changed));
    }
  }
  return result;
}

std::optional<ThreadOrder> without_switch(const Trace& trace, const ThreadOrder& order,
                                          const StoryEvent& after, std::uint64_t until) {
  auto at = position(trace, after.switch_step);
  if (!at) {
    return std::nullopt;
  }
  auto previous = static_cast<std::uint16_t>(after.previous);
  std::optional<std::size_t> last = until != 0 ? position(trace, until) : std::nullopt;
  ThreadOrder changed = advanced(order, previous, *at, last ? *last + 1 : order.size());
  if (!last) {
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(*at), kAsFarAsItGoes, previous);
  }
  return changed;
}

}  // namespace rff
