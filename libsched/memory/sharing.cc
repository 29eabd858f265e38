#include "libsched/memory/sharing.h"

#include <algorithm>

namespace rff {

bool Sharing::replaces(const ThreadMemory& t, bool writes, std::uint32_t earlier) {
  const SyncOrder::Era& e = order.era(earlier >> 1);
  if (e.actor != t.actor) {
    return false;
  }
  return subsumed(t, writes, earlier) || order.settled(e);
}

bool Sharing::subsumed(const ThreadMemory& t, bool writes, std::uint32_t earlier) const {
  bool weaker = writes || (earlier & Use::kWrote) == 0;
  return weaker && order.locks_within(order.era(t.era >> 1), order.era(earlier >> 1));
}

bool Sharing::covers(const ThreadMemory& t, bool writes, const Use& earlier) {
  const SyncOrder::Era& e = order.era(earlier.era());
  const SyncOrder::Era& now = order.era(t.era >> 1);
  return e.time == now.time && (earlier.wrote() || !writes) && order.locks_within(e, now);
}

Sharing::Relation Sharing::use_slowly(const ThreadMemory& t, Cell& c, bool writes,
                                      std::uint32_t code) {
  if (!c.several()) {
    if (c.users == 0 || replaces(t, writes, c.users)) {
      c.users = mark(t, writes);
      return {};
    }
    const SyncOrder::Era& e = order.era(c.users >> 1);
    if (e.actor == t.actor && !racing_) {
      c.users = mark(t, writes) | (c.users & Use::kWrote);
      return {};
    }
    if (e.actor != t.actor && racing_ && order.before(e, t.actor) &&
        (subsumed(t, writes, c.users) || order.settled(e))) {
      c.users = mark(t, writes);
      c.reader_code = 0;  // a read that cannot race any more
      return {.shared = true};
    }
    begin_history(c);
  }
  return add(t, c, writes, code);
}

void Sharing::begin_history(Cell& c) {
  std::uint32_t users = c.users;
  std::vector<Use>& uses = shadow_.history(c);
  if (c.reader_code != 0 || (users & Use::kWrote) == 0) {
    uses.push_back({users & ~Use::kWrote, c.reader_code});
  }
  if ((users & Use::kWrote) != 0) {
    Writer writers[8];
    for (int i = 0, n = shadow_.writers(c, kWholeWord, 0, writers); i < n; ++i) {
      uses.push_back({users, writers[i].code});
    }
  }
}

std::uint32_t Sharing::merge_own(const ThreadMemory& t, std::vector<Use>& uses, const Use& mine) {
  bool wrote = mine.wrote();
  std::erase_if(uses, [&](const Use& u) {
    bool own = order.era(u.era()).actor == t.actor;
    wrote |= own && u.wrote();
    return own;
  });
  return wrote ? t.unlocked_era : t.unlocked_era & ~Use::kWrote;
}

Sharing::Relation Sharing::add(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code) {
  Relation found;
  Use mine{mark(t, writes), code};
  bool covered = false;
  std::vector<Use>& uses = shadow_.history(c);
  std::size_t kept = 0, own = 0;
  for (const Use& u : uses) {
    const SyncOrder::Era& e = order.era(u.era());
    if (e.actor == t.actor) {
      if (!covered && covers(t, writes, u)) {
        covered = true;
        mine = {u.era_and_kind, u.wrote() == writes ? code : u.code};
        continue;
      }
      if (replaces(t, mine.wrote(), u.era_and_kind)) {
        continue;
      }
      ++own;
    } else {
      found.shared = true;
      if (racing_ && order.before(e, t.actor)) {
        if (subsumed(t, writes, u.era_and_kind) || order.settled(e)) {
          continue;
        }
        uses[kept++] = u;
        continue;
      }
      bool always = !racing_ || c.locked != 0;
      if (writes || u.wrote() || always) {
        found.conflicts = true;
        if (always || !order.locks_exclude(e, order.era(t.era >> 1))) {
          found.races = true;
          points_.learn(u.code);
        }
      }
    }
    uses[kept++] = u;
  }
  uses.resize(kept);
  if (own >= kMostOwn) {
    mine.era_and_kind = merge_own(t, uses, mine);
  }
  uses.push_back(mine);
  if (found.races) {
    points_.learn(code);
  }
  if (uses.size() == 1) {
    std::uint32_t only = uses[0].era_and_kind;
    shadow_.drop_users(c);
    c.users = only;
  }
  return found;
}

bool Sharing::read_before(const ThreadMemory& t, Cell& c) {
  if (!c.several()) {
    return c.used_only_by(t);
  }
  if (!racing_ || c.locked != 0) {
    return false;
  }
  std::vector<Use>& uses = shadow_.history(c);
  Use* mine = nullptr;
  bool written_since = false;
  for (Use& u : uses) {
    std::uint32_t era = u.era_and_kind | Use::kWrote;
    const SyncOrder::Era& e = order.era(u.era());
    if (era == t.era || era == t.unlocked_era) {
      mine = &u;
      written_since = false;
    } else if (u.wrote() && e.actor != t.actor) {
      written_since = true;
      if (!order.before(e, t.actor) && !order.locks_exclude(e, order.era(t.era >> 1))) {
        return false;  // races
      }
    }
  }
  return mine != nullptr && !written_since;
}

}  // namespace rff
