#include "fuzzer/systematic/wakeup_tree.h"

#include <algorithm>

namespace rff {

std::size_t StepSequence::first_of(std::uint16_t thread) const {
  std::size_t i = 0;
  while (i < steps_.size() && run_.at(steps_[i]).thread != thread) {
    ++i;
  }
  return i;
}

bool StepSequence::may_begin_with(const ExploredStep& step) const {
  std::size_t own = first_of(step.thread);
  for (std::size_t i = 0; i < own; ++i) {
    bool depends = own < steps_.size() ? run_.before(steps_[i], steps_[own])
                                       : conflict(run_.at(steps_[i]), step);
    if (depends) {
      return false;
    }
  }
  return true;
}

bool StepSequence::surely_may_begin_with(const ExploredStep& step, bool made) const {
  std::size_t own = first_of(step.thread);
  if (own == steps_.size()) {
    return false;
  }
  if (!made && own + 1 == steps_.size()) {
    return own == 0;
  }
  for (std::size_t i = 0; i < own; ++i) {
    bool depends = made ? conflict(run_.at(steps_[i]), step) : run_.before(steps_[i], steps_[own]);
    if (depends) {
      return false;
    }
  }
  return true;
}

void StepSequence::without_first_of(std::uint16_t thread) {
  std::size_t own = first_of(thread);
  if (own < steps_.size()) {
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(own));
  }
}

void WakeupTree::insert(StepSequence sequence, bool large_steps) {
  WakeupTree* node = this;
  while (!sequence.empty()) {
    auto child =
        std::find_if(node->children.begin(), node->children.end(), [&](const WakeupTree& c) {
          return large_steps ? sequence.surely_may_begin_with(*c.step, false)
                             : sequence.may_begin_with(*c.step);
        });
    if (child == node->children.end()) {
      break;
    }
    sequence.without_first_of(child->step->thread);
    node = &*child;
    if (node->empty()) {
      return;  // a leaf: what follows it will be explored anyway
    }
  }
  for (; !sequence.empty(); sequence.pop_front()) {
    node->children.push_back({sequence.front().bare(), {}});
    node = &node->children.back();
  }
}

}  // namespace rff
