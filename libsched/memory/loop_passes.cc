#include "libsched/memory/loop_passes.h"

#include <algorithm>

namespace rff {
namespace {

bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a < b + b_size && b < a + a_size;
}

}  // namespace

bool LoopPasses::stops(CodeName site, std::uint64_t address, std::uint64_t state) {
  if (!yielded_) {
    return repeats(site, address, state);
  }
  yielded_ = false;
  if (events_.size() < kMostEvents) {
    events_.push_back({true, false, address, 0, 0, site, state});
  }
  return true;
}

void LoopPasses::yields(CodeName site, std::uint64_t state) { yielded_ = repeats(site, 0, state); }

bool LoopPasses::repeats(CodeName site, std::uint64_t address, std::uint64_t state) {
  awaited_.clear();
  released_ = true;
  auto last = std::find_if(events_.rbegin(), events_.rend(), [&](const Event& e) {
    return e.is_stop && e.site == site && e.address == address;
  });
  bool same = last != events_.rend() && last->state == state;
  if (same) {
    pass_ = static_cast<std::size_t>(events_.rend() - last) - 1;
    released_ = false;
    for (std::size_t i = pass_; i < events_.size() && same; ++i) {
      const Event& e = events_[i];
      if (!e.is_stop) {
        awaited_.push_back({e.address, e.address + e.size});
        released_ |= e.stale;
        same = !e.stale || !used_after(i);
      }
    }
  }
  if (events_.size() < kMostEvents) {
    events_.push_back({true, false, address, 0, 0, site, state});
  }
  return same;
}

// A pass that saw a change of what it had seen before is no pass that the next one repeats.
bool LoopPasses::used_after(std::size_t event) const {
  const Event& e = events_[event];
  return std::any_of(events_.begin() + static_cast<std::ptrdiff_t>(event) + 1, events_.end(),
                     [&](const Event& later) {
                       return !later.is_stop &&
                              overlap(e.address, e.size, later.address, later.size);
                     });
}

void LoopPasses::uses(std::uint64_t address, std::uint64_t size, std::uint32_t code) {
  if (events_.size() < kMostEvents) {
    events_.push_back({false, false, address, size, code, {}, 0});
  } else {
    breaks();
  }
}

void LoopPasses::breaks() {
  events_.clear();
  pass_ = 0;
  yielded_ = false;
}

void LoopPasses::changed(std::uint64_t address, std::uint64_t size) {
  for (Event& e : events_) {
    e.stale |= !e.is_stop && overlap(e.address, e.size, address, size);
  }
  released_ |= std::any_of(awaited_.begin(), awaited_.end(), [&](const AwaitedBytes& a) {
    return overlap(a.begin, a.end - a.begin, address, size);
  });
}

}  // namespace rff
