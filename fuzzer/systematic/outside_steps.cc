#include "fuzzer/systematic/outside_steps.h"

#include <algorithm>
#include <map>

namespace rff {
namespace {

// The number of blocks of each thread that come before, by the order of each thread, creations and
// joins alone.
using Clock = std::map<std::uint16_t, std::size_t>;

void merge(Clock& clock, const Clock& more) {
  for (auto [thread, count] : more) {
    clock[thread] = std::max(clock[thread], count);
  }
}

// Returns the clock of each block, which counts the block itself.
std::vector<Clock> clocks_of(const std::vector<ExploredStep>& blocks) {
  std::vector<Clock> clocks(blocks.size());
  std::map<std::uint16_t, std::size_t> last;
  std::vector<std::size_t> creators = {blocks.size()};  // by thread, in order of creation
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    std::uint16_t thread = blocks[j].thread;
    if (auto it = last.find(thread); it != last.end()) {
      clocks[j] = clocks[it->second];
    } else if (thread < creators.size() && creators[thread] < j) {
      clocks[j] = clocks[creators[thread]];
    }
    for (std::size_t k = 0; k < j && blocks[j].op == OpKind::kThreadJoin; ++k) {
      if (blocks[k].thread != thread && conflict_with_operation(blocks[k], blocks[j])) {
        merge(clocks[j], clocks[k]);
      }
    }
    ++clocks[j][thread];
    if (blocks[j].op == OpKind::kThreadCreate) {
      creators.push_back(j);
    }
    last[thread] = j;
  }
  return clocks;
}

// Whether what the block did after its operation conflicts with the other one.
bool extends_into(const ExploredStep& block, const ExploredStep& other) {
  return std::any_of(block.touches.begin() + 1, block.touches.end(), [&](const Touch& x) {
    return std::any_of(other.touches.begin(), other.touches.end(),
                       [&](const Touch& y) { return overlap(x, y); });
  });
}

}  // namespace

bool conflicts_outside_steps(const std::vector<ExploredStep>& blocks,
                             const std::vector<bool>& is_step) {
  std::vector<Clock> clocks;
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    if (is_step[j] || blocks[j].touches.size() < 2) {
      continue;
    }
    if (clocks.empty()) {
      clocks = clocks_of(blocks);
    }
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const ExploredStep& first = blocks[std::min(j, k)];
      Clock& later = clocks[std::max(j, k)];
      bool ordered = later[first.thread] >= clocks[std::min(j, k)][first.thread];
      if (blocks[k].thread != blocks[j].thread && !ordered && extends_into(blocks[j], blocks[k])) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace rff
