// Writes what an instance has counted to the memory of the campaign.
#include <algorithm>

#include "fuzzer/afl/instance.h"

namespace rff {
namespace {

void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

}  // namespace

// Adds what is new: an instance that was started again goes on where the one before it ended.
void Instance::publish_tallies() {
  const std::vector<Tally>& tallies = core_.portfolio().tallies();
  published_.resize(tallies.size());
  for (std::size_t i = 0; i < std::min(tallies.size(), std::size(status_.search)); ++i) {
    SharedTally& shared = status_.search[i];
    if (shared.strategy.view().empty()) {
      shared.strategy.set(tallies[i].strategy);
    }
    add(shared.proposals, tallies[i].proposals - published_[i].proposals);
    add(shared.new_pairs, tallies[i].new_pairs - published_[i].new_pairs);
    add(shared.new_paths, tallies[i].new_paths - published_[i].new_paths);
    add(shared.failures, tallies[i].failures - published_[i].failures);
    add(shared.profiles, tallies[i].counts.profiles - published_[i].counts.profiles);
    add(shared.blocked, tallies[i].counts.blocked - published_[i].counts.blocked);
    published_[i] = tallies[i];
  }
}

void Instance::publish_inputs() {
  status_.inputs.store(pairs_->inputs().members().size());
  status_.edges.store(pairs_->inputs().flow());
  status_.comparisons.store(pairs_->inputs().hints());
  status_.discarded.store(pairs_->discarded());
}

}  // namespace rff
