// Descriptors that a run in place makes for what nobody else has: pipes, pairs of sockets,
// counters, epolls, files in memory, files that it only reads. Whatever calls do to these is gone
// when they are closed. Descriptors from before the run may be closed or replaced: they come back.
#pragma once

#include <bitset>

#include "libsched/snapshot/call_made.h"

namespace rff {

class MadeDescriptors {
 public:
  static constexpr long kEnd = 896;  // the worker has its own behind them

  // Whether there are uses of this call that can be made.
  static bool knows(long number);
  // Makes the call and returns true, or returns false without having made it: it concerns other
  // descriptors, too, or it would wait.
  bool make(const CallMade& call, long* result);
  // Closes those that are open, and brings back those from before the run.
  void put_back();
  // No other run follows.
  void retire();

 private:
  static constexpr std::size_t kMostAside = 16;

  bool has(long number) const { return number >= 0 && number < kEnd && open_[bit(number)]; }
  static std::size_t bit(long number) { return static_cast<std::size_t>(number); }
  // Each makes the call, which makes one descriptor, or two at `pair`.
  bool one(const CallMade& call, long* result);
  bool two(const CallMade& call, const int* pair, long* result);
  bool duplicate(const CallMade& call, long* result);
  bool open(const CallMade& call, long* result);
  bool control(const CallMade& call, long* result);
  bool close(const CallMade& call, long* result);
  // Keeps a copy of a descriptor from before the run.
  bool set_aside(long number);
  // Whether a call on a descriptor of the run leaves nothing, and does not wait.
  bool harmless(const CallMade& call) const;

  struct Aside {
    long number, copy, flags;
  };

  std::bitset<kEnd> open_;  // by number
  Aside aside_[kMostAside];
  std::size_t aside_count_ = 0;
};

}  // namespace rff
