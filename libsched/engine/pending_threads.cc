#include "libsched/engine/pending_threads.h"

#include <algorithm>

namespace rff {
namespace {

bool is_released(const Thread& t) {
  const Operation& op = *t.pending;
  return op.timed_out || (op.cancellable && t.cancel_due);
}

template <typename Item>
Item* take_unused(std::vector<Item*>& unused) {
  if (unused.empty()) {
    return nullptr;
  }
  Item* item = unused.back();
  unused.pop_back();
  return item;
}

template <typename Item>
void unlink(Item*& list, Item& item) {
  Item** at = &list;
  while (*at != &item) {
    at = &(*at)->next;
  }
  *at = item.next;
}

}  // namespace

PendingThreads::~PendingThreads() {
  for (Crowd* c : all_crowds_) {
    delete c;
  }
  for (WaitGroup* g : all_groups_) {
    delete g;
  }
}

bool PendingThreads::can_take_effect(const Thread& t) {
  const Operation& op = *t.pending;
  return op.waits_for == nullptr || is_released(t) || op.waits_for->enabled(op);
}

bool PendingThreads::needs_timeout(const Thread& t) {
  return t.may_time_out && !can_take_effect(t);
}

std::uint64_t PendingThreads::ready_since(const Thread& t) {
  return t.group != nullptr ? std::max(t.group->since, t.ready_since) : t.ready_since;
}

void PendingThreads::insert(Thread& t) {
  if (t.index >= by_index_.size()) {
    by_index_.resize(t.index + 1);
  }
  by_index_[t.index] = &t;
  all_.insert(t);
  const Operation& op = *t.pending;
  if (op.deadline != kNever && !op.timed_out) {
    timed_.insert(t);
    nearest_ = std::min(nearest_, op.deadline);
  }
  t.may_time_out |= preemption_ == kAnyPreemption && op.deadline != kNever;
  if (op.waits_for != nullptr && !t.may_time_out && !is_released(t)) {
    join_group(t);
  }
  if (t.group == nullptr || t.group->holds) {
    enabled_.insert(t);
  }
  if (t.spin.spinning) {
    spinning_.insert(t);
  }
  join_crowd(t);
  if (listener_ != nullptr) {
    listener_->pending(t);
  }
}

void PendingThreads::erase(Thread& t) {
  if (listener_ != nullptr) {
    listener_->withdrawn(t);
  }
  leave_crowd(t);
  if (t.group != nullptr) {
    leave_group(t);
  }
  all_.erase(t);
  enabled_.erase(t);
  timed_.erase(t);
  spinning_.erase(t);
}

void PendingThreads::reconsider(Thread& t) {
  t.ready_since = decision_;
  t.ready_time = now_;
  erase(t);
  insert(t);
}

void PendingThreads::join_crowd(Thread& t) {
  const Operation& op = *t.pending;
  Crowd*& place = place_of(t);
  for (Crowd* c = place; c != nullptr; c = c->next) {
    if (c->id == op.id && c->touches == t.touches && c->touches_end == t.touches_end &&
        c->writes == t.touches_as_writer && c->group == t.group && c->spins == t.spin.spinning) {
      ++c->size;
      t.crowd = c;
      return;
    }
  }
  Crowd* c = take_unused(unused_crowds_);
  if (c == nullptr) {
    c = new Crowd;
    c->number = static_cast<std::uint32_t>(all_crowds_.size());
    all_crowds_.push_back(c);
  }
  c->id = op.id;
  c->touches = t.touches;
  c->touches_end = t.touches_end;
  c->writes = t.touches_as_writer;
  c->spins = t.spin.spinning;
  c->group = t.group;
  c->size = 1;
  c->next = place;
  place = c;
  if (t.group != nullptr) {
    t.group->crowds.push_back(c);
  }
  t.crowd = c;
}

void PendingThreads::leave_crowd(Thread& t) {
  Crowd& c = *t.crowd;
  t.crowd = nullptr;
  if (--c.size > 0) {
    return;
  }
  unlink(place_of(t), c);
  if (c.group != nullptr) {
    std::erase(c.group->crowds, &c);
  }
  unused_crowds_.push_back(&c);
}

void PendingThreads::join_group(Thread& t) {
  const Operation& op = *t.pending;
  WaitGroup*& place = by_state_[bucket(op.state)];
  for (WaitGroup* g = place; g != nullptr && op.state != nullptr; g = g->next) {
    if (g->rule == op.waits_for && g->state == op.state && g->external == op.external) {
      g->members.insert(t);
      t.group = g;
      return;
    }
  }
  WaitGroup* g = take_unused(unused_groups_);
  if (g == nullptr) {
    g = new WaitGroup;
    all_groups_.push_back(g);
  }
  g->rule = op.waits_for;
  g->state = op.state;
  g->external = op.external;
  g->holds = op.waits_for->enabled(op);
  g->since = g->since_time = 0;
  g->members.insert(t);
  g->next = place;
  place = g;
  if (!g->rule->notifies_on_change || g->external) {
    asked_.push_back(g);
  }
  t.group = g;
}

void PendingThreads::leave_group(Thread& t) {
  WaitGroup& g = *t.group;
  t.group = nullptr;
  g.members.erase(t);
  if (!g.members.empty()) {
    return;
  }
  unlink(by_state_[bucket(g.state)], g);
  std::erase(asked_, &g);
  std::erase(changed_, &g);
  unused_groups_.push_back(&g);
}

void PendingThreads::changed(const void* state) {
  for (WaitGroup* g = by_state_[bucket(state)]; g != nullptr; g = g->next) {
    if (g->state == state) {
      changed_.push_back(g);
    }
  }
}

void PendingThreads::ask(WaitGroup& g) {
  bool holds = g.rule->enabled(*by_index_[g.members.first()]->pending);
  if (holds == g.holds) {
    return;
  }
  g.holds = holds;
  if (holds) {
    g.since = decision_;
    g.since_time = now_;
    enabled_ |= g.members;
  } else {
    enabled_ -= g.members;
  }
  if (listener_ == nullptr) {
    return;
  }
  for (const Crowd* c : g.crowds) {
    listener_->reconsider(*c);
  }
}

void PendingThreads::update(std::uint64_t now, std::uint64_t decision) {
  decision_ = decision;
  now_ = now;
  for (WaitGroup* g : changed_) {
    ask(*g);
  }
  changed_.clear();
  for (WaitGroup* g : asked_) {
    ask(*g);
  }
  if (now >= nearest_) {
    expire(now);
  }
  if (preemption_ != kNoPreemption && preemption_ != kAnyPreemption && !timed_.empty()) {
    consider_timeouts();
  }
  any_enabled_ = any_eager_ = !enabled_.empty();
  some_spin_ = !spinning_.empty();
  if (some_spin_) {
    eager_ = enabled_;
    eager_ -= spinning_;
    any_eager_ = !eager_.empty();
  }
}

std::uint64_t PendingThreads::latest_deadline() const {
  std::uint64_t earliest = nearest_deadline();  // its thread can run from then on
  enabled_.for_each([&](std::uint32_t index) {
    const Thread& t = *by_index_[index];
    if (!t.spin.spinning && !needs_timeout(t)) {
      std::uint64_t since =
          t.group != nullptr ? std::max(t.group->since_time, t.ready_time) : t.ready_time;
      earliest = std::min(earliest, since);
    }
  });
  return earliest > kNever - preemption_ ? kNever : earliest + preemption_;
}

void PendingThreads::consider_timeouts() {
  auto set = [&](auto may_time_out) {
    timed_.for_each([&](std::uint32_t index) {
      Thread& t = *by_index_[index];
      bool may = may_time_out(t);
      if (may != t.may_time_out) {
        t.may_time_out = may;
        reconsider(t);
      }
    });
  };
  // One that needs its timeout no longer can run from now on, like any other.
  set([](const Thread& t) { return needs_timeout(t); });
  std::uint64_t latest = latest_deadline();
  set([&](const Thread& t) {
    return t.pending->deadline - std::min(t.pending->deadline, time_of_steps(t)) <= latest &&
           !can_take_effect(t);
  });
}

std::uint64_t PendingThreads::time_of_steps(const Thread& t) const {
  return (decision_ - std::min(decision_, t.ran_in)) * kStepTime;
}

const Thread* PendingThreads::preempted_by(const Thread& t) const {
  const Thread* found = nullptr;
  all_.for_each([&](std::uint32_t index) {
    const Thread& other = *by_index_[index];
    bool able = enabled_.contains(index) && !needs_timeout(other);
    if (found == nullptr && (able || other.pending->deadline < t.pending->deadline)) {
      found = &other;
    }
  });
  return found;
}

std::uint64_t PendingThreads::nearest_deadline() const {
  std::uint64_t nearest = kNever;
  timed_.for_each([&](std::uint32_t index) {
    const Thread& t = *by_index_[index];
    nearest = can_take_effect(t) ? nearest : std::min(nearest, t.pending->deadline);
  });
  return nearest;
}

bool PendingThreads::expire(std::uint64_t now) {
  bool any = false;
  nearest_ = kNever;
  timed_.for_each([&](std::uint32_t index) {
    Thread& t = *by_index_[index];
    Operation& op = *t.pending;
    if (op.deadline <= now && !can_take_effect(t)) {
      any = op.timed_out = true;
      reconsider(t);
    } else {
      nearest_ = std::min(nearest_, op.deadline);
    }
  });
  return any;
}

}  // namespace rff
