// Descriptors that a run in place makes for what nobody else has: pipes, pairs of sockets,
// counters, epolls, files in memory. Whatever calls do to these is gone when they are closed.
#pragma once

#include <bitset>

#include "libsched/snapshot/call_made.h"

namespace rff {

class MadeDescriptors {
 public:
  // Whether there are uses of this call that can be made.
  static bool knows(long number);
  // Makes the call and returns true, or returns false without having made it: it concerns other
  // descriptors, too, or it would wait.
  bool make(const CallMade& call, long* result);
  // Closes those that are open.
  void put_back();

 private:
  static constexpr long kEnd = 896;  // the worker has its own behind them

  bool has(long number) const { return number >= 0 && number < kEnd && open_[bit(number)]; }
  static std::size_t bit(long number) { return static_cast<std::size_t>(number); }
  // Each makes the call, which makes one descriptor, or two at `pair`.
  bool one(const CallMade& call, long* result);
  bool two(const CallMade& call, const int* pair, long* result);
  bool duplicate(const CallMade& call, long* result);
  bool control(const CallMade& call, long* result);
  bool close(const CallMade& call, long* result);
  // Whether a call on a descriptor of the run leaves nothing, and does not wait.
  bool harmless(const CallMade& call) const;

  std::bitset<kEnd> open_;  // by number
};

}  // namespace rff
