#include "libsched/memory/sharing.h"

#include <algorithm>
#include <iterator>

#include "schedule/hash.h"

namespace rff {
namespace {

constexpr std::size_t kFewUses = 16;   // can be looked at every time
constexpr std::size_t kManyUses = 64;  // more than that become few

}  // namespace

bool Sharing::use_alone(const ThreadMemory& t, Cell& c, bool writes) {
  if (!c.several() && t.is_now(writes ? c.written_in : c.read_in)) {
    return true;  // as private_access has it: what others did came before the first time
  }
  if (c.several() || (c.written_in != 0 && !mine(t, c.written_in)) ||
      (c.read_in != 0 && !mine(t, c.read_in))) {
    return false;
  }
  std::uint32_t& last = writes ? c.written_in : c.read_in;
  if (!t.is_now(last)) {
    last = last == 0 ? t.era : both(t, last);
  }
  return true;
}

bool Sharing::superseded(const ThreadMemory& t, std::uint32_t earlier, bool weaker) {
  const SyncOrder::Era& e = order.era(earlier);
  return (weaker && order.locks_within(order.era(t.era), e)) || order.settled(e);
}

Sharing::Relation Sharing::use(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code) {
  if (use_alone(t, c, writes)) {
    return {};
  }
  if (!c.several()) {
    bool fits = false;
    Relation relation = use_alone_or_after(t, c, writes, &fits);
    if (fits) {
      return relation;
    }
    std::uint64_t key = 0;
    if (racing_ && !writes && !c.locked) {
      key = hash_combine((std::uint64_t{c.read_in} << 32) | c.written_in,
                         (std::uint64_t{t.era} << 32) | c.reader_code);
      key = hash_combine(key, (std::uint64_t{code} << 1) | (order.handlers_run() ? 1 : 0));
      if (share(shared(key), key, c)) {
        return shared(key).relation;
      }
    }
    begin_history(c);
    relation = add(t, c, writes, code);
    keep(key, c, relation);
    return relation;
  }
  const History& h = shadow_.history_of(c);
  return !writes && !c.locked && racing_ && h.writes.empty() && !h.raced ? add_read(t, c, code)
                                                                         : add(t, c, writes, code);
}

bool Sharing::share(const Shared& s, std::uint64_t key, Cell& c) {
  if (key == 0 || s.key != key || shadow_.history_at(s.read_in).version != s.version) {
    return false;
  }
  shadow_.share_history(c, s.read_in);
  return true;
}

void Sharing::keep(std::uint64_t key, const Cell& c, const Relation& relation) {
  if (key == 0 || !c.several()) {
    return;
  }
  const History& h = shadow_.history_of(c);
  if (h.writes.empty() && !h.raced) {
    shared(key) = {key, c.read_in, h.version, relation};
  }
}

Sharing::Relation Sharing::add_read(const ThreadMemory& t, Cell& c, std::uint32_t code) {
  History& h = shadow_.history_of(c);
  bool excluded = order.locks().exclude(h.guard, order.era(t.era).locks);
  const History::Place& place = h.place(t.actor, false);
  if (t.is_now(place.era) && h.reads[place.index].code == code) {
    return {.shared = true, .conflicts = excluded};
  }
  if (h.words == 1) {
    return add(t, c, false, code);
  }
  std::uint64_t key = hash_combine((std::uint64_t{c.read_in} << 32) | h.version,
                                   (std::uint64_t{t.era} << 32) | code);
  if (share(shared(key), key, c)) {
    return shared(key).relation;
  }
  Relation relation = add(t, c, false, code);
  keep(key, c, relation);
  return relation;
}

// Handles a word whose uses by others all came before.
Sharing::Relation Sharing::use_alone_or_after(const ThreadMemory& t, Cell& c, bool writes,
                                              bool* fits) {
  auto ordered = [&](std::uint32_t era) {
    return era == 0 || mine(t, era) || (racing_ && order.before(order.era(era), t.actor));
  };
  std::uint32_t& last = writes ? c.written_in : c.read_in;
  bool keeps_last = last != 0 && !mine(t, last) && !superseded(t, last, true);
  *fits = ordered(c.written_in) && ordered(c.read_in) && !keeps_last;
  if (!*fits) {
    return {};
  }
  if (last == 0 || !mine(t, last)) {
    last = t.era;
  } else if (!t.is_now(last)) {
    last = both(t, last);
  }
  if (writes && c.read_in != 0 && !mine(t, c.read_in) && superseded(t, c.read_in, true)) {
    c.read_in = 0;
  }
  if (!writes && c.written_in != 0 && !mine(t, c.written_in) &&
      order.settled(order.era(c.written_in))) {
    c.written_in = 0;
  }
  return {.shared = true};
}

void Sharing::begin_history(Cell& c) {
  Cell before = c;
  History& h = shadow_.history(c);
  h.guard = order.era(before.read_in != 0 ? before.read_in : before.written_in).locks;
  h.limit = kFewUses;
  h.raced = h.all_learned = false;
  std::fill(std::begin(h.places), std::end(h.places), History::Place{});
  if (before.read_in != 0) {
    h.reads.push_back({before.read_in, before.reader_code});
  }
  if (before.written_in != 0) {
    h.guard = order.locks().common(h.guard, order.era(before.written_in).locks);
    Writer writers[8];
    for (int i = 0, n = shadow_.writers(c, kWholeWord, 0, writers); i < n; ++i) {
      if (writers[i].code != 0) {
        h.writes.push_back({before.written_in, writers[i].code});
      }
    }
    if (h.writes.empty()) {
      h.writes.push_back({before.written_in, 0});  // announced, not yet recorded
    }
  }
}

Sharing::Relation Sharing::compare(const Now& now, History& h, std::vector<Use>& list,
                                   bool list_writes) {
  Relation found;
  std::size_t kept = 0;
  bool conflict = now.writes || list_writes || now.always;
  const SyncOrder::Era& mine_now = order.era(now.t.era);
  for (const Use& u : list) {
    const SyncOrder::Era& e = order.era(u.era);
    bool weaker = now.writes || !list_writes;
    if (e.actor == now.t.actor) {
      if (weaker && !now.t.is_now(u.era) && order.locks_within(mine_now, e)) {
        continue;
      }
    } else {
      found.shared = true;
      if (racing_ && order.before(e, now.t.actor)) {
        if (superseded(now.t, u.era, weaker)) {
          continue;
        }
      } else if (conflict) {
        found.conflicts = true;
        if (now.always || !order.locks_exclude(e, mine_now)) {
          bool handed = !now.always && order.handed_over(e, now.t.actor);
          (handed ? found.handed : found.races) = true;
          points_.learn(u.code, handed);
        }
      }
    }
    list[kept++] = u;
  }
  if (kept < list.size()) {
    list.resize(kept);
    std::fill(std::begin(h.places), std::end(h.places), History::Place{});
  }
  return found;
}

Sharing::Relation Sharing::add(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code) {
  History& h = shadow_.history(c);
  Now now{t, writes, !racing_ || c.locked};
  Relation found{.shared = true};
  if (h.raced && now.always) {
    points_.learn(code);  // it does not matter any more who else uses the word
    return {.shared = true, .conflicts = true, .races = true};
  }
  if (h.raced && h.size() > kFewUses) {
    found = {
        .shared = true, .conflicts = true, .races = true};  // no need to find out again with which
    learn_all(h);
  } else if (!now.always && order.locks().exclude(h.guard, order.era(t.era).locks)) {
    found.conflicts = true;
  } else {
    found |= compare(now, h, h.writes, true);
    if (writes || now.always) {
      found |= compare(now, h, h.reads, false);
    }
  }
  if (found.races && !h.raced) {
    h.raced = true;
    std::fill(std::begin(h.places), std::end(h.places), History::Place{});
  }
  note(now, h, code, found.races || found.handed);
  if (found.races || found.handed) {
    points_.learn(code, !found.races);
  }
  if (h.reads.size() <= 1 && h.writes.size() <= 1) {
    end_history(c, h);
  }
  return found;
}

void Sharing::learn_all(History& h) {
  if (!h.all_learned) {
    h.all_learned = true;  // later ones are learned when they come
    for (const std::vector<Use>* list : {&h.reads, &h.writes}) {
      for (const Use& u : *list) {
        points_.learn(u.code);
      }
    }
  }
}

// Adds the use to the history. A read that races is looked at every time.
void Sharing::note(const Now& now, History& h, std::uint32_t code, bool races) {
  const ThreadMemory& t = now.t;
  std::vector<Use>& list = now.writes ? h.writes : h.reads;
  History::Place& place = h.place(t.actor, now.writes);
  if (t.is_now(place.era)) {
    list[place.index].code = code;
  } else {
    if (h.size() >= h.limit) {
      drop_needless(h);
    }
    if (now.writes || !races) {
      place = {t.era, static_cast<std::uint32_t>(list.size())};
    }
    list.push_back({t.era, code});
    h.guard = order.locks().common(h.guard, order.era(t.era).locks);
  }
  if (now.writes) {
    // Whoever reads next reads something new.
    for (std::uint32_t actor = 0; actor < History::kPlaces / 2; ++actor) {
      h.place(actor, false) = {};
    }
  }
}

// Drops uses of threads that did the same later, under the same locks, and those that came before
// all that can follow. If too many stay, those of a thread become one without locks, which races
// with whatever they race with.
void Sharing::drop_needless(History& h) {
  bool too_many = false;
  for (int round = 0; round == 0 || (too_many && round == 1); ++round) {
    for (std::vector<Use>* list : {&h.reads, &h.writes}) {
      FlatMap<bool> later;
      std::size_t kept = list->size();
      for (std::size_t i = list->size(); i-- > 0;) {
        Use u = (*list)[i];
        const SyncOrder::Era& e = order.era(u.era);
        if ((racing_ && order.settled(e)) ||
            !later.insert(hash_combine(e.actor, too_many ? 0 : e.locks)).second) {
          continue;
        }
        u.era = too_many ? order.without_locks(u.era) : u.era;
        (*list)[--kept] = u;
      }
      list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(kept));
    }
    too_many = h.size() > kManyUses;
  }
  std::fill(std::begin(h.places), std::end(h.places), History::Place{});
  h.limit = static_cast<std::uint32_t>(std::max(kFewUses, 2 * h.size()));
}

void Sharing::end_history(Cell& c, History& h) {
  std::uint32_t read_in = h.reads.empty() ? 0 : h.reads[0].era;
  std::uint32_t written_in = h.writes.empty() ? 0 : h.writes[0].era;
  if (read_in != 0 && written_in != 0 && order.era(read_in).actor != order.era(written_in).actor) {
    return;
  }
  if (read_in != 0) {
    c.reader_code = h.reads[0].code;
  }
  shadow_.drop_users(c);
  c.read_in = read_in;
  c.written_in = written_in;
}

}  // namespace rff
