#include "fuzzer/core/event_pool.h"

#include <algorithm>
#include <bit>

namespace rff {
namespace {

// A stack location's offset counts downwards from the stack's highest address.
std::int64_t first_byte(const AbstractEvent& e) {
  auto offset = static_cast<std::int64_t>(e.offset);
  return e.place == LocationKind::kStack ? -offset : offset;
}

std::int64_t width(const AbstractEvent& e) { return std::max<std::int64_t>(e.size, 1); }

int bits(std::int64_t width) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(width)));
}

}  // namespace

std::vector<Constraint> EventPool::observe(const RunSummary& run) {
  for (const AbstractEvent& event : run.events) {
    if (depends_on_schedule(event) && event.op != OpKind::kUnseen) {
      add(event);
    }
  }
  std::vector<Constraint> fresh;
  for_each_pair(run, [&](const AbstractEvent& write, const AbstractEvent& read) {
    std::uint64_t id = pair_id(write, read);
    if (observed_.size() < bounds_.known && observed_.insert(id).second) {
      fresh.push_back({write, read, true});
      if (auto known = pair_index_.find(id); known != pair_index_.end()) {
        pairs_[known->second].observed = true;
      }
    }
    return true;
  });
  return fresh;
}

void EventPool::add(const AbstractEvent& event) {
  auto index = static_cast<std::uint32_t>(events_.size());
  if (events_.size() >= bounds_.events || !index_.try_emplace(event.id(), index).second) {
    return;
  }
  events_.push_back(event);

  LocationGroup& group = groups_[{event.place, event.base}];
  group[bits(width(event))][first_byte(event)].push_back(index);

  if (event.reads()) {
    // The initial value always exists, even if no write has been seen yet.
    add(AbstractEvent::init(event.location()));
  }
  for (const auto& [most_bits, by_begin] : group) {
    auto from = by_begin.upper_bound(first_byte(event) - (std::int64_t{1} << most_bits));
    auto to = by_begin.lower_bound(first_byte(event) + width(event));
    for (auto it = from; it != to && pairs_.size() < bounds_.known; ++it) {
      for (std::uint32_t other : it->second) {
        add_pairs_of(index, other);
      }
    }
  }
}

void EventPool::add_pairs_of(std::uint32_t event, std::uint32_t other) {
  const AbstractEvent& a = events_[event];
  const AbstractEvent& b = events_[other];
  if (!same_location(a, b)) {
    return;
  }
  if (a.writes() && b.reads()) {
    add_pair(event, other);
  }
  if (other != event && a.reads() && b.writes()) {
    add_pair(other, event);
  }
}

void EventPool::add_pair(std::uint32_t write, std::uint32_t read) {
  // init(x) is the initial value of exactly x; the init of a neighboring byte adds nothing.
  if (events_[write].op == OpKind::kInit && events_[write].location() != events_[read].location()) {
    return;
  }
  if (pairs_.size() >= bounds_.known) {
    return;
  }
  std::uint64_t id = pair_id(events_[write], events_[read]);
  if (pair_index_.try_emplace(id, static_cast<std::uint32_t>(pairs_.size())).second) {
    pairs_.push_back({write, read, {0, 0}, observed_.contains(id)});
  }
}

bool EventPool::steerable(const AbstractEvent& event) const {
  return !op_accesses(event.op) || !points_known_ || points_.contains(event.site.packed());
}

std::optional<Constraint> EventPool::draw(Random& random, bool positive) {
  if (pairs_.empty()) {
    return std::nullopt;
  }
  // Takes the best of a few samples: a small pool is exhausted before a pair repeats, and a large
  // pool costs no more.
  constexpr int kSamples = 32;
  auto rank = [&](const Pair& p) {
    // The order of writes decides what a read finds that comes after all of them.
    const AbstractEvent& write = events_[p.write];
    bool idle = !steerable(events_[p.read]) && (!op_accesses(write.op) || !steerable(write));
    return std::make_pair(idle, 2 * p.drawn[positive] + (p.observed == positive ? 1 : 0));
  };
  Pair* best = nullptr;
  for (int i = 0; i < kSamples; ++i) {
    Pair& candidate = pairs_[random.below(pairs_.size())];
    if (best == nullptr || rank(candidate) < rank(*best)) {
      best = &candidate;
    }
  }
  ++best->drawn[positive];
  return Constraint{events_[best->write], events_[best->read], positive};
}

}  // namespace rff
