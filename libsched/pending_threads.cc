#include "libsched/pending_threads.h"

#include <algorithm>

#include "schedule/hash.h"

namespace rff {
namespace {

bool can_take_effect(const Thread& t, std::uint64_t now) {
  Operation& op = *t.pending;
  if (op.timed_out || (op.cancellable && t.cancel_requested && t.cancel_enabled) ||
      op.waits_for->enabled(op)) {
    return true;
  }
  op.timed_out = op.deadline <= now;
  return op.timed_out;
}

}  // namespace

PendingThreads::Group* PendingThreads::group_of(const Operation& op) {
  for (Group& g : groups_) {
    if (g.rule == op.waits_for && g.state == op.state) {
      return &g;
    }
  }
  return nullptr;
}

ThreadSet& PendingThreads::place_of(const Thread& t) {
  std::uint64_t word = t.touches >> 3;
  std::uint64_t last = t.touches_end > 0 ? (t.touches_end - 1) >> 3 : 0;  // 0: touches nothing
  return word == last ? buckets_[mix64(word) % kBuckets] : wide_;
}

const std::vector<Thread*>& PendingThreads::listed(const ThreadSet& set,
                                                   std::vector<Thread*>& list) const {
  list.clear();
  set.for_each([&](std::uint32_t index) { list.push_back(by_index_[index]); });
  return list;
}

const std::vector<Thread*>& PendingThreads::near(const Thread& t) {
  if (t.touches_end == 0) {
    near_.clear();
    return near_;
  }
  ThreadSet& place = place_of(t);
  if (&place == &wide_) {
    return listed(all_, near_);
  }
  if (wide_.empty()) {
    return listed(place, near_);
  }
  ThreadSet both = place;
  both |= wide_;
  return listed(both, near_);
}

std::uint64_t PendingThreads::nearest_deadline() const {
  std::uint64_t nearest = kNever;
  singles_.for_each([&](std::uint32_t index) {
    const Thread& t = *by_index_[index];
    nearest = t.enabled ? nearest : std::min(nearest, t.pending->deadline);
  });
  return nearest;
}

bool PendingThreads::expire(std::uint64_t now) {
  bool any = false;
  singles_.for_each([&](std::uint32_t index) {
    const Thread& t = *by_index_[index];
    bool ends = !t.enabled && t.pending->deadline <= now;
    t.pending->timed_out |= ends;
    any |= ends;
  });
  return any;
}

void PendingThreads::insert(Thread& t) {
  if (t.index >= by_index_.size()) {
    by_index_.resize(t.index + 1);
  }
  by_index_[t.index] = &t;
  all_.insert(t);
  place_of(t).insert(t);
  if (!t.waits) {
    enabled_.insert(t);
    return;
  }
  Operation& op = *t.pending;
  if (!has_group(op)) {
    singles_.insert(t);
    return;
  }
  Group* group = group_of(op);
  if (group == nullptr) {
    groups_.push_back({op.waits_for, op.state, false, {}});
    group = &groups_.back();
  }
  group->members.insert(t);
  if (group->enabled) {
    t.enabled = true;
    enabled_.insert(t);
  }
}

void PendingThreads::erase(Thread& t) {
  all_.erase(t);
  place_of(t).erase(t);
  enabled_.erase(t);
  if (!t.waits) {
    return;
  }
  if (!has_group(*t.pending)) {
    singles_.erase(t);
    return;
  }
  Group* group = group_of(*t.pending);
  group->members.erase(t);
  if (group->members.empty()) {
    std::swap(*group, groups_.back());
    groups_.pop_back();
  }
}

void PendingThreads::update(std::uint64_t now, bool any_timeout, std::uint64_t decision) {
  for (Group& g : groups_) {
    bool enabled = g.rule->enabled(*by_index_[g.members.first()]->pending);
    if (enabled != g.enabled) {
      enabled ? enable(g, decision) : disable(g);
    }
  }
  singles_.for_each([&](std::uint32_t index) {
    Thread& t = *by_index_[index];
    t.enabled = can_take_effect(t, now);
    t.may_time_out = !t.enabled && any_timeout && t.pending->deadline != kNever;
    if (t.enabled || t.may_time_out) {
      enabled_.insert(t);
    } else {
      t.ready_since = decision;
      enabled_.erase(t);
    }
  });
  if (enabled_ != enabled_listed_) {
    enabled_listed_ = enabled_;
    listed(enabled_, enabled_list_);
  }
}

void PendingThreads::enable(Group& group, std::uint64_t decision) {
  group.enabled = true;
  group.members.for_each([&](std::uint32_t index) {
    Thread& t = *by_index_[index];
    t.enabled = true;
    t.ready_since = decision;
    enabled_.insert(t);
  });
}

void PendingThreads::disable(Group& group) {
  group.enabled = false;
  group.members.for_each([&](std::uint32_t index) {
    Thread& t = *by_index_[index];
    t.enabled = false;
    enabled_.erase(t);
  });
}

}  // namespace rff
