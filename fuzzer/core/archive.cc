#include "fuzzer/core/archive.h"

namespace rff {
namespace {

constexpr std::uint32_t kNoStep = ~std::uint32_t{0};

// Returns for every step the next step of the same thread.
std::vector<std::uint32_t> successors(const RunSummary& run) {
  std::vector<std::uint32_t> next(run.steps.size(), kNoStep);
  std::vector<std::uint32_t> upcoming;
  for (std::size_t i = run.steps.size(); i-- > 0;) {
    std::uint16_t t = run.steps[i].thread;
    if (t >= upcoming.size()) {
      upcoming.resize(t + 1u, kNoStep);
    }
    next[i] = upcoming[t];
    upcoming[t] = static_cast<std::uint32_t>(i);
  }
  return next;
}

}  // namespace

void Archive::add(const RunSummary& run, const RecordedOrder& recorded, const Focus* focus) {
  if (cells_.size() >= bounds_.events ||
      entries_ + recorded.entries->size() > bounds_.order_entries) {
    return;
  }
  std::vector<bool> decides;  // for every step: whether its location decides
  for (const Step& s : run.steps) {
    decides.push_back(s.event < run.events.size() &&
                      (focus == nullptr || focus->contains(location_key(run.events[s.event]))));
  }
  std::size_t before = cells_.size();
  if (novelty_ == Novelty::kValue) {
    add_values(run, recorded, decides);
  } else {
    add_states(run, recorded, decides);
  }
  if (cells_.size() > before) {
    entries_ += recorded.entries->size();
  }
}

void Archive::add_values(const RunSummary& run, const RecordedOrder& recorded,
                         const std::vector<bool>& decides) {
  for (std::size_t i = 0; i < run.steps.size() && cells_.size() < bounds_.events; ++i) {
    const Step& s = run.steps[i];
    if (decides[i] && op_accesses(run.events[s.event].op) &&
        keys_.insert(hash_combine(location_key(run.events[s.event]), s.value))) {
      cells_.push_back({recorded.entries, recorded.place[i] + (recorded.kept[i] ? 1 : 0)});
    }
  }
}

void Archive::add_states(const RunSummary& run, const RecordedOrder& recorded,
                         const std::vector<bool>& decides) {
  std::vector<std::uint32_t> next = successors(run);
  std::vector<std::uint64_t> positions;               // for each thread: a hash of its position
  std::uint64_t where = 0;                            // hash of all positions
  FlatMap<std::uint64_t> memory;                      // address → value, mixed
  std::uint64_t contents = 0;                         // hash of all values
  std::vector<std::uint64_t> keys(run.steps.size());  // for every step: the state after it
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const Step& s = run.steps[i];
    if (s.thread >= positions.size()) {
      positions.resize(s.thread + 1u, 0);
    }
    auto stand = [&](std::uint32_t step) {
      const Step& at = run.steps[step];
      std::uint64_t site = at.event < run.events.size() ? run.events[at.event].site.packed() : 0;
      return hash_combine(site, at.address);
    };
    std::uint64_t now = positions[s.thread];
    if (next[i] == kNoStep) {
      now = 1;  // the thread has ended
    } else if (decides[next[i]]) {
      now = stand(next[i]);
    } else if (decides[i]) {
      now = hash_combine(stand(static_cast<std::uint32_t>(i)), 2);
    }
    where += mix64(now) - mix64(positions[s.thread]);
    positions[s.thread] = now;
    if (decides[i] && s.address != 0) {
      std::uint64_t& word = memory[s.address];
      std::uint64_t mixed = hash_combine(s.address, s.value);
      contents += mixed - word;
      word = mixed;
    }
    keys[i] = hash_combine(where, contents);
    if (recorded.kept[i]) {
      keys_.prefetch(keys[i]);
    }
  }
  for (std::size_t i = 0; i < run.steps.size() && cells_.size() < bounds_.events; ++i) {
    if (recorded.kept[i] && keys_.insert(keys[i])) {
      cells_.push_back({recorded.entries, recorded.place[i] + 1});
    }
  }
}

bool Archive::take(Random& random, Schedule& schedule) const {
  if (cells_.empty()) {
    return false;
  }
  std::size_t newest = 0;
  for (int i = 0; i < 3; ++i) {
    newest = std::max<std::size_t>(newest, random.below(cells_.size()));
  }
  // The latest value is the one that nobody could go on from before.
  constexpr std::size_t kLatest = 4;
  if (novelty_ == Novelty::kValue && random.chance(1, 2)) {
    newest = cells_.size() - 1 - random.below(std::min(kLatest, cells_.size()));
  }
  const Cell& cell = cells_[newest];
  std::size_t length = std::min<std::size_t>(cell.length, cell.order->size());
  schedule.prefix.assign(cell.order->begin(), cell.order->begin() + static_cast<long>(length));
  schedule.guided = true;
  schedule.scheduler = SchedulerKind::kWindow;
  return true;
}

}  // namespace rff
