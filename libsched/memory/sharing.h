// Which threads use a word, and whether two of its uses may race: they conflict, and neither the
// order of synchronization nor a common lock keeps them apart. Only such accesses need to be
// scheduling points: in what way the others interleave makes no difference.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/memory/point_set.h"
#include "libsched/memory/shadow.h"
#include "libsched/memory/sync_order.h"

namespace rff {

class Sharing {
 public:
  Sharing(Shadow& shadow, PointSet& points) : shadow_(shadow), points_(points) {}
  // `racing`: see SchedulingPoints. Without it, any two threads that use a word race.
  void start(bool racing) { racing_ = order.handlers_apart = racing; }
  bool racing() const { return racing_; }

  // How an access is related to earlier ones of other threads.
  struct Relation {
    bool shared = false;     // the last use of the word, or an unordered one, was another thread's
    bool conflicts = false;  // an unordered one writes, or this one does
    bool races = false;      // and nothing keeps them apart
    Relation& operator|=(const Relation& other) {
      shared |= other.shared;
      conflicts |= other.conflicts;
      races |= other.races;
      return *this;
    }
  };
  // Records a use. Both sides of a race become scheduling points.
  Relation use(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code) {
    if (c.used_only_by(t)) {
      c.users |= writes ? Use::kWrote : 0;
      return {};
    }
    return use_slowly(t, c, writes, code);
  }
  // The same if the word is this thread's alone. Returns false if it is not, and changes nothing.
  bool use_alone(const ThreadMemory& t, Cell& c, bool writes) {
    if (c.used_only_by(t) || c.users == 0 || (!c.several() && replaces(t, writes, c.users))) {
      c.users = c.used_only_by(t) ? c.users | (writes ? Use::kWrote : 0) : mark(t, writes);
      return true;
    }
    return false;
  }
  // Whether a read adds nothing to what is recorded of the word: the thread has used it in this
  // era, and nobody has written to it since.
  bool read_before(const ThreadMemory& t, Cell& c);
  SyncOrder order;
  static constexpr std::size_t kMostOwn = 8;  // uses of a thread that are kept apart

 private:
  static std::uint32_t mark(const ThreadMemory& t, bool writes) {
    return writes ? t.era : t.era & ~Use::kWrote;
  }
  // Whether a use now makes an earlier one of the same thread superfluous: whatever races with that
  // one races with this one.
  bool replaces(const ThreadMemory& t, bool writes, std::uint32_t earlier);
  // Whether whatever races with an earlier use, of whichever thread, and comes after this one would
  // race with this one.
  bool subsumed(const ThreadMemory& t, bool writes, std::uint32_t earlier) const;
  // Whether an earlier use of the same thread makes one now superfluous.
  bool covers(const ThreadMemory& t, bool writes, const Use& earlier);
  Relation use_slowly(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code);
  void begin_history(Cell& c);
  Relation add(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code);
  // A thread that uses a word under ever other locks: all its uses become one without locks, which
  // races with whatever they race with. Returns its era and kind.
  std::uint32_t merge_own(const ThreadMemory& t, std::vector<Use>& uses, const Use& mine);

  Shadow& shadow_;
  PointSet& points_;
  bool racing_ = false;
};

}  // namespace rff
