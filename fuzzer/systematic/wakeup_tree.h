// Sequences of steps that are to be explored from one state, as an ordered tree: each leaf is the
// end of one sequence. A sequence that is equivalent to an extension of one that is there already
// is not added, so no two of them lead to runs of the same class.
// Abdulla, Aronis, Jonsson, Sagonas: Source Sets: A Foundation for Optimal Dynamic Partial Order
// Reduction, J. ACM 2017.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fuzzer/systematic/explored_run.h"

namespace rff {

// Some steps of one run, in its order; the last one is to be made earlier than in the run.
// Requires: the run outlives it.
//
// With large steps it is not known what that last step will do in its new place: what it reads, and
// so what else it touches, may be other than in the run. Therefore nothing may be concluded from
// what it touches.
class StepSequence {
 public:
  StepSequence(const ExploredRun& run, std::vector<std::size_t> steps)
      : run_(run), steps_(std::move(steps)) {}

  bool empty() const { return steps_.empty(); }
  const ExploredStep& front() const { return run_.at(steps_.front()); }
  void pop_front() { steps_.erase(steps_.begin()); }

  // Whether `step`, which its thread is about to make, may as well come first: the sequence begins
  // with it but for steps that it does not depend on, or no step of the sequence depends on it.
  bool may_begin_with(const ExploredStep& step) const;
  // The same with large steps, as far as it is known. `made`: the step has been made in this place,
  // so that what it touches is known.
  bool surely_may_begin_with(const ExploredStep& step, bool made) const;
  // Removes the thread's first step, if there is one.
  void without_first_of(std::uint16_t thread);

 private:
  std::size_t first_of(std::uint16_t thread) const;

  const ExploredRun& run_;
  std::vector<std::size_t> steps_;
};

struct WakeupTree {
  SharedStep step;  // leads here; null at the root
  std::vector<WakeupTree> children;

  bool empty() const { return children.empty(); }
  // Adds the sequence below this node, which is the root.
  void insert(StepSequence sequence, bool large_steps);
};

}  // namespace rff
