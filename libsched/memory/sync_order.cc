#include "libsched/memory/sync_order.h"

#include <algorithm>
#include <utility>

#include "libsched/memory/thread_memory.h"

namespace rff {
namespace {

constexpr int kLongestChain = 8;  // of threads that wait for each other's end

std::uint64_t key(const void* object) { return reinterpret_cast<std::uint64_t>(object); }

template <typename T>
T& at(FlatMap<std::uint32_t>& index, std::vector<T>& items, const void* object) {
  auto [entry, fresh] = index.insert(key(object), static_cast<std::uint32_t>(items.size()));
  if (fresh) {
    items.emplace_back();
  }
  return items[entry->value];
}

}  // namespace

void SyncOrder::Clock::set(std::uint32_t actor, Time time) {
  if (at_.size() <= actor) {
    at_.resize(actor + 1);
  }
  at_[actor] = time;
}

void SyncOrder::Clock::join(const Clock& other) {
  join_handed(other);
  for (std::size_t i = 0; i < other.at_.size(); ++i) {
    at_[i].order = std::max(at_[i].order, other.at_[i].order);
  }
}

void SyncOrder::Clock::join_handed(const Clock& other) {
  if (at_.size() < other.at_.size()) {
    at_.resize(other.at_.size());
  }
  for (std::size_t i = 0; i < other.at_.size(); ++i) {
    at_[i].handed = std::max(at_[i].handed, other.at_[i].handed);
  }
}

SyncOrder::SyncOrder() {
  eras_.emplace_back();
  actor_of_.push_back(add_actor(0, {}));
  live_.push_back(0);
  era_of(0, LockSets::kEmpty);
}

std::uint32_t SyncOrder::add_actor(std::uint32_t thread, Clock clock) {
  auto id = static_cast<std::uint32_t>(actors_.size());
  actors_.push_back(std::make_unique<Actor>());
  actors_[id]->id = id;
  actors_[id]->thread = thread;
  actors_[id]->clock = std::move(clock);
  actors_[id]->clock.set(id, {1, 1});
  return id;
}

std::uint32_t SyncOrder::era_of(std::uint32_t actor, std::uint32_t locks) {
  Time time = actors_[actor]->clock.of(actor);
  std::uint32_t& number = latest_[(std::uint64_t{actor} << 32) | locks];
  if (number == 0 || eras_[number].handed != time.handed) {
    number = static_cast<std::uint32_t>(eras_.size());
    eras_.push_back({actor, time.order, time.handed, locks});
  }
  return number;
}

std::uint32_t SyncOrder::without_locks(std::uint32_t number) {
  Era e = eras_[number];
  if (e.locks == LockSets::kEmpty) {
    return number;
  }
  e.locks = LockSets::kEmpty;
  eras_.push_back(e);
  return static_cast<std::uint32_t>(eras_.size() - 1);
}

SyncOrder::Actor& SyncOrder::actor(const Thread& t) { return *actors_[t.memory->actor]; }

void SyncOrder::update(Thread& t) {
  std::uint32_t id = t.memory->actor;
  t.memory->unlocked_era = era_of(id, LockSets::kEmpty);
  t.memory->era = era_of(id, actors_[id]->locks);
}

void SyncOrder::tick(Thread& t, std::uint32_t order) {
  std::uint32_t id = t.memory->actor;
  Actor& a = *actors_[id];
  Time now = a.clock.of(id);
  a.clock.set(id, {now.order + order, now.handed + 1});
  changes_ += order;
  update(t);
}

std::uint32_t SyncOrder::least(const Actor& a, std::uint32_t other) {
  std::uint32_t time = a.clock.of(other).order;
  const Actor* next = a.awaited;
  for (int i = 0; i < kLongestChain && next != nullptr; ++i, next = next->awaited) {
    if (next->id == other) {
      return ~std::uint32_t{0};
    }
    time = std::max(time, next->clock.of(other).order);
  }
  return time;
}

bool SyncOrder::settled(const Era& e) {
  Actor& a = *actors_[e.actor];
  if (handlers_run_) {
    return false;  // the next handler comes after nothing
  }
  if (a.settled_since != changes_) {
    a.settled_since = changes_;
    a.settled = ~std::uint32_t{0};
    for (std::uint32_t id : live_) {
      if (id != e.actor) {
        a.settled = std::min(a.settled, least(*actors_[id], e.actor));
      }
    }
  }
  return e.time <= a.settled;
}

void SyncOrder::created(Thread& parent, Thread& child) {
  if (child.attendant) {
    return;  // uses no memory of the program
  }
  if (actor_of_.size() <= child.index) {
    actor_of_.resize(child.index + 1, 0);
  }
  std::uint32_t id = add_actor(child.index, actor(parent).clock);
  actor_of_[child.index] = id;
  live_.push_back(id);
  child.memory->actor = id;
  update(child);
  tick(parent);
}

void SyncOrder::ended(Thread& t) {
  std::erase(live_, actor_of_[t.index]);
  ++changes_;
}

void SyncOrder::joins(Thread& t, const Thread* other) {
  actors_[actor_of_[t.index]]->awaited =
      other != nullptr ? actors_[actor_of_[other->index]].get() : nullptr;
  ++changes_;
}

void SyncOrder::joined(Thread& t, const Thread& other) {
  actor(t).clock.join(actors_[actor_of_[other.index]]->clock);
  ++changes_;
}

void SyncOrder::locked(Thread& t, const void* lock, bool exclusively) {
  Actor& a = actor(t);
  a.locks = sets_.with(a.locks, key(lock), exclusively);
  a.clock.join_handed(at(tokens_, released_, lock));
  update(t);
}

void SyncOrder::unlocked(Thread& t, const void* lock) {
  for (Actor* a : {&actor(t), actors_[actor_of_[t.index]].get()}) {
    a->locks = sets_.without(a->locks, key(lock));
  }
  at(tokens_, released_, lock).join_handed(actor(t).clock);
  tick(t, 0);
}

void SyncOrder::release(Thread& t, const void* token) {
  at(tokens_, released_, token).join(actor(t).clock);
  tick(t);
}

void SyncOrder::acquire(Thread& t, const void* token) {
  actor(t).clock.join(at(tokens_, released_, token));
  ++changes_;
}

void SyncOrder::acquire_waiting(Thread& t, const void* token) {
  actors_[actor_of_[t.index]]->clock.join(at(tokens_, released_, token));
  ++changes_;
}

void SyncOrder::forget(const void* token) {
  if (const auto* entry = tokens_.find(key(token))) {
    released_[entry->value] = {};
  }
  if (const auto* entry = semaphore_of_.find(key(token))) {
    semaphores_[entry->value] = {};
  }
}

void SyncOrder::posted(Thread& t, const void* semaphore) {
  at(semaphore_of_, semaphores_, semaphore).posts.push_back(actor(t).clock);
  tick(t);
}

void SyncOrder::waited(Thread& t, const void* semaphore, std::uint32_t count) {
  Semaphore& s = at(semaphore_of_, semaphores_, semaphore);
  std::size_t waiting = s.posts.size() - s.taken;
  if (waiting == 0 || count > waiting) {
    return;  // one of the initial value
  }
  actor(t).clock.join(s.posts[s.taken]);
  ++changes_;
  if (++s.taken * 2 >= s.posts.size()) {
    s.posts.erase(s.posts.begin(), s.posts.begin() + static_cast<std::ptrdiff_t>(s.taken));
    s.taken = 0;
  }
}

std::uint32_t SyncOrder::enter_handler(Thread& t) {
  std::uint32_t before = t.memory->actor;
  if (!handlers_apart) {
    return before;
  }
  if (actor(t).handler == 0) {
    std::uint32_t id = add_actor(t.index, {});
    actors_[before]->handler = id;
  }
  handlers_run_ = true;
  t.memory->actor = actors_[before]->handler;
  update(t);
  return before;
}

void SyncOrder::begin_turn(Thread& t) {
  constexpr std::uint32_t kMostActors = 16;  // then the first one is used again
  std::uint32_t before = actor_of_[t.index];
  if (!handlers_apart || t.memory->actor != before) {
    return;
  }
  if (actors_[before]->next_turn == 0) {
    std::uint32_t turn = actors_[before]->turn + 1;
    std::uint32_t next = turn == kMostActors ? first_turn(before) : add_actor(t.index, {});
    actors_[before]->next_turn = next;
    if (turn < kMostActors) {
      actors_[next]->turn = turn;
    }
  }
  std::uint32_t id = actors_[before]->next_turn;
  actors_[id]->clock.join(actors_[before]->clock);
  actors_[id]->locks = actors_[before]->locks;
  actors_[id]->handler = actors_[before]->handler;
  std::replace(live_.begin(), live_.end(), before, id);
  actor_of_[t.index] = t.memory->actor = id;
  tick(t);
}

// Returns the actor of the thread's first turn.
std::uint32_t SyncOrder::first_turn(std::uint32_t actor) const {
  for (std::uint32_t id = 0; id < actors_.size(); ++id) {
    if (actors_[id]->thread == actors_[actor]->thread && actors_[id]->next_turn != 0 &&
        actors_[id]->turn == 0) {
      return id;
    }
  }
  return actor;
}

void SyncOrder::leave_handler(Thread& t, std::uint32_t before) {
  t.memory->actor = before;
  update(t);
}

}  // namespace rff
