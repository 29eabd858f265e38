// The threads that have stopped with a pending operation, and which of them could go on.
//
// Kept from decision to decision, so that a decision costs what has changed since the last one and
// not the number of threads: a thread that waits for nothing is enabled from when it stops, and
// those that wait for the same thing are asked as one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libsched/thread_set.h"

namespace rff {

class PendingThreads {
 public:
  void insert(Thread& t);
  void erase(Thread& t);

  // Asks what the waiting threads wait for. `any_timeout`: a timed wait can always go on, by its
  // timeout. `decision`: the number of the one that is due.
  void update(std::uint64_t now, bool any_timeout, std::uint64_t decision);

  // Ordered by index. Valid until the next call.
  const std::vector<Thread*>& all() { return listed(all_, all_list_); }
  // Those whose operation can take effect, as of the last update; ordered by index.
  const std::vector<Thread*>& enabled() const { return enabled_list_; }

  // Time: when the first wait ends that nothing else has ended; ends those that are over by `now`,
  // and says whether there were any.
  std::uint64_t nearest_deadline() const;
  bool expire(std::uint64_t now);

  // Those that may race with an operation of `t` (not pending any more itself), and perhaps a few
  // more; ordered by index. Valid until the next call.
  const std::vector<Thread*>& near(const Thread& t);

 private:
  static constexpr std::size_t kBuckets = 64;

  // Threads with no way out of their wait but the one thing they all wait for.
  struct Group {
    const WaitRule* rule;
    const void* state;
    bool enabled;
    ThreadSet members;
  };

  static bool has_group(const Operation& op) {
    return op.state != nullptr && op.deadline == kNever && !op.cancellable;
  }
  Group* group_of(const Operation& op);
  // Where threads about to touch the same word are; that of all who touch more than one if `t`
  // does.
  ThreadSet& place_of(const Thread& t);
  void enable(Group& group, std::uint64_t decision);
  void disable(Group& group);
  const std::vector<Thread*>& listed(const ThreadSet& set, std::vector<Thread*>& list) const;

  std::vector<Thread*> by_index_;
  ThreadSet all_;
  ThreadSet enabled_;
  // The enabled ones as a list, made anew only when they have changed: those of one decision are
  // mostly those of the one before.
  std::vector<Thread*> enabled_list_;
  ThreadSet enabled_listed_;
  std::vector<Group> groups_;
  ThreadSet singles_;                        // that wait, without a group
  std::array<ThreadSet, kBuckets> buckets_;  // by the word they are about to touch
  ThreadSet wide_;                           // that touch more than one
  std::vector<Thread*> all_list_, near_;     // scratch
};

}  // namespace rff
