// Which threads use a word, and whether two of its uses may race: they conflict, and neither the
// order of synchronization nor a common lock keeps them apart. Only such accesses need to be
// scheduling points: in what way the others interleave makes no difference.
#pragma once

#include <cstdint>

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
    bool shared = false;     // another thread has used the word
    bool conflicts = false;  // unordered, and one of the two writes
    bool races = false;      // and nothing keeps them apart
    bool handed = false;     // the same, but locks handed the word over in this run
    bool guarded = false;    // a check knows something about the word (Guard)
    Relation& operator|=(const Relation& other) {
      shared |= other.shared;
      conflicts |= other.conflicts;
      races |= other.races;
      handed |= other.handed;
      guarded |= other.guarded;
      return *this;
    }
  };
  // Records a use. Both sides of a race become scheduling points.
  Relation use(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code);
  // The same if the word is this thread's alone. Returns false if it is not, and changes nothing.
  bool use_alone(const ThreadMemory& t, Cell& c, bool writes);
  // The same if all that others did with the word came before.
  bool use_after(const ThreadMemory& t, Cell& c, bool writes) {
    bool fits = false;
    if (!c.several()) {
      use_alone_or_after(t, c, writes, &fits);
    }
    return fits;
  }
  // Whether a read adds nothing to what is recorded of the word: the thread has read it in this
  // era, and nobody has written to it since.
  bool read_before(const ThreadMemory& t, Cell& c) {
    if (!c.several()) {
      return c.read_by(t);
    }
    return racing_ && shadow_.history_of(c).read_now(t);
  }
  SyncOrder order;

 private:
  bool mine(const ThreadMemory& t, std::uint32_t era) const {
    return order.era(era).actor == t.actor;
  }
  // The era for what the thread now does in addition to what it did in an earlier one: whatever
  // races with either races with a use in this era.
  std::uint32_t both(const ThreadMemory& t, std::uint32_t earlier) const {
    return order.locks_within(order.era(t.era), order.era(earlier)) ? t.era : t.unlocked_era;
  }
  // Whether an earlier use of another thread came before, and whatever races with it and follows
  // would race with this one. `weaker`: this one writes, or the earlier one does not.
  bool superseded(const ThreadMemory& t, std::uint32_t earlier, bool weaker);
  Relation use_alone_or_after(const ThreadMemory& t, Cell& c, bool writes, bool* fits);
  void begin_history(Cell& c);
  // The same for a read of a word that nobody wrote to since it has a history.
  Relation add_read(const ThreadMemory& t, Cell& c, std::uint32_t code);
  Relation add(const ThreadMemory& t, Cell& c, bool writes, std::uint32_t code);
  // Compares a use with the earlier ones in the list, and drops those that it supersedes.
  struct Now {
    const ThreadMemory& t;
    bool writes;
    bool always;  // races with whatever is unordered
  };
  Relation compare(const Now& now, History& h, std::vector<Use>& list, bool list_writes);
  void learn_all(History& h);
  void note(const Now& now, History& h, std::uint32_t code, bool races);
  void drop_needless(History& h);
  void end_history(Cell& c, History& h);

  // Keeps the history that one more read made of another: words in the same state share it.
  struct Shared {
    std::uint64_t key = 0;
    std::uint32_t read_in = 0, version = 0;
    Relation relation;
  };
  Shared& shared(std::uint64_t key) { return shared_[key % kShared]; }
  // Returns false if the outcome is not known.
  bool share(const Shared& s, std::uint64_t key, Cell& c);
  // Keeps the outcome for other words, if these are only read.
  void keep(std::uint64_t key, const Cell& c, const Relation& relation);

  Shadow& shadow_;
  PointSet& points_;
  bool racing_ = false;
  static constexpr std::size_t kShared = 64;
  Shared shared_[kShared];
};

}  // namespace rff
