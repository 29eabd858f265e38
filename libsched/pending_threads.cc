#include "libsched/pending_threads.h"

#include <algorithm>
#include <iterator>

#include "schedule/hash.h"

namespace rff {
namespace {

bool by_index(const Thread* a, const Thread* b) { return a->index < b->index; }

void insert_sorted(std::vector<Thread*>& list, Thread* t) {
  list.insert(std::upper_bound(list.begin(), list.end(), t, by_index), t);
}

void erase_sorted(std::vector<Thread*>& list, const Thread* t) {
  auto it = std::lower_bound(list.begin(), list.end(), t, by_index);
  if (it != list.end() && *it == t) {
    list.erase(it);
  }
}

void merge_sorted(const std::vector<Thread*>& a, const std::vector<Thread*>& b,
                  std::vector<Thread*>& result) {
  result.clear();
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result), by_index);
}

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

std::vector<PendingThreads::Group>::iterator PendingThreads::group_of(const Operation& op) {
  return std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
    return g.rule == op.waits_for && g.state == op.state;
  });
}

std::vector<Thread*>* PendingThreads::bucket_of(const Thread& t) {
  std::uint64_t word = t.touches >> 3;
  std::uint64_t last = t.touches_end > 0 ? (t.touches_end - 1) >> 3 : 0;  // 0: touches nothing
  return word == last ? &buckets_[mix64(word) % kBuckets] : nullptr;
}

const std::vector<Thread*>& PendingThreads::near(const Thread& t) {
  std::vector<Thread*>* bucket = bucket_of(t);
  if (bucket == nullptr) {
    return all_;
  }
  if (wide_.empty()) {
    return *bucket;
  }
  merge_sorted(*bucket, wide_, merged_);
  return merged_;
}

void PendingThreads::insert(Thread& t) {
  insert_sorted(all_, &t);
  std::vector<Thread*>* bucket = bucket_of(t);
  insert_sorted(bucket != nullptr ? *bucket : wide_, &t);
  if (!t.waits) {
    insert_sorted(enabled_, &t);
    return;
  }
  const Operation& op = *t.pending;
  if (!has_group(op)) {
    insert_sorted(singles_, &t);
    return;
  }
  auto group = group_of(op);
  if (group == groups_.end()) {
    groups_.push_back({op.waits_for, op.state, false, {}});
    group = groups_.end() - 1;
  }
  insert_sorted(group->members, &t);
  if (group->enabled) {
    t.enabled = true;
    insert_sorted(enabled_, &t);
  }
}

void PendingThreads::erase(Thread& t) {
  erase_sorted(all_, &t);
  std::vector<Thread*>* bucket = bucket_of(t);
  erase_sorted(bucket != nullptr ? *bucket : wide_, &t);
  erase_sorted(enabled_, &t);
  if (!t.waits) {
    return;
  }
  if (!has_group(*t.pending)) {
    erase_sorted(singles_, &t);
    return;
  }
  auto group = group_of(*t.pending);
  erase_sorted(group->members, &t);
  if (group->members.empty()) {
    groups_.erase(group);
  }
}

void PendingThreads::update(std::uint64_t now, bool any_timeout, std::uint64_t decision) {
  for (Group& g : groups_) {
    bool enabled = g.rule->enabled(*g.members.front()->pending);
    if (enabled != g.enabled) {
      enabled ? enable(g, decision) : disable(g);
    }
  }
  for (Thread* t : singles_) {
    bool before = t->enabled || t->may_time_out;
    t->enabled = can_take_effect(*t, now);
    t->may_time_out = !t->enabled && any_timeout && t->pending->deadline != kNever;
    bool after = t->enabled || t->may_time_out;
    if (!after) {
      t->ready_since = decision;
    }
    if (before != after) {
      after ? insert_sorted(enabled_, t) : erase_sorted(enabled_, t);
    }
  }
}

void PendingThreads::enable(Group& group, std::uint64_t decision) {
  group.enabled = true;
  for (Thread* t : group.members) {
    t->enabled = true;
    t->ready_since = decision;
  }
  merge_sorted(enabled_, group.members, merged_);
  enabled_.swap(merged_);
}

void PendingThreads::disable(Group& group) {
  group.enabled = false;
  for (Thread* t : group.members) {
    t->enabled = false;
  }
  std::erase_if(enabled_, [](const Thread* t) { return !t->enabled && !t->may_time_out; });
}

}  // namespace rff
