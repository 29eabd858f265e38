// A step of a run: what a thread does from one scheduling point to its next, and all that it
// touches there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

struct Touch {
  std::uint64_t begin = 0, end = 0;
  bool reads = false, writes = false;
  bool object = false;  // a synchronization object
  bool silent = false;  // it writes what was there already
};

// Memory that a step waits for: it repeats a pass of a loop and can be made only after other
// threads have changed some of what the pass has read.
struct AwaitedChange {
  std::uint64_t begin = 0, end = 0;
  std::size_t from = 0;  // the first step of the run that comes after it was read
};

struct ExploredStep {
  std::uint16_t thread = 0;
  EventCheck check;
  OpKind op = OpKind::kNone;
  bool ends_process = false;  // the run failed in it, so that nobody could go on
  bool may_wait = false;      // an operation that waits until it can take effect
  bool may_write = false;     // the operation writes, unless it fails
  bool may_fail = false;
  std::vector<Touch> touches;          // the first one is that of the operation itself
  std::vector<AwaitedChange> awaited;  // empty: it does not wait in a loop
  std::vector<std::uint16_t> options;  // the threads that could have made the step; sorted
  std::vector<EventCheck> option_checks;
  std::vector<std::uint32_t> values, bounds;  // choices of the program's world in this step

  bool could_be_made_by(std::uint16_t other) const;
  // The same without the options, which take most of the memory.
  std::shared_ptr<const ExploredStep> bare() const;
};

// Steps are kept in many places at once.
using SharedStep = std::shared_ptr<const ExploredStep>;

inline bool touches_nothing(const Touch& t) { return t.begin == 0; }
// Whether two touches share bytes; the same, and one of them writes.
inline bool same_bytes(const Touch& a, const Touch& b) {
  return a.begin < b.end && b.begin < a.end && !touches_nothing(a) && !touches_nothing(b);
}
inline bool overlap(const Touch& a, const Touch& b) {
  return (a.writes || b.writes) && same_bytes(a, b);
}
// Whether two steps conflict whatever they touch.
bool ordered_by_system(const ExploredStep& a, const ExploredStep& b);
bool conflict(const ExploredStep& a, const ExploredStep& b);
// Whether a step conflicts with what the operation itself touches at which another one begins.
bool conflict_with_operation(const ExploredStep& a, const ExploredStep& b);

}  // namespace rff
