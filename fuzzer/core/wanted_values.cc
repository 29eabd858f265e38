#include "fuzzer/core/wanted_values.h"

#include <algorithm>

namespace rff {
namespace {

constexpr std::size_t kReach = 128;  // writes examined before and after a read

std::uint64_t value_key(std::uint64_t site, std::uint64_t value) {
  return hash_combine(site, value);
}

// For every step, the first and the last step of the critical section around it; outside of
// critical sections, the step itself. The last is one with an entry in the recorded order: a
// section that ends in a condition wait unlocks without one.
struct Sections {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
};

Sections find_sections(const RunSummary& run, const std::vector<bool>& kept) {
  struct Thread {
    unsigned held = 0;
    std::vector<std::uint32_t> steps;  // steps of its current section
  };
  auto n = static_cast<std::uint32_t>(run.steps.size());
  Sections result{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
  std::unordered_map<std::uint16_t, Thread> threads;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Step& s = run.steps[i];
    result.first[i] = result.last[i] = i;
    if (s.event >= run.events.size()) {
      continue;
    }
    Thread& t = threads[s.thread];
    OpKind op = run.events[s.event].op;
    t.held += acquires(op) ? 1 : 0;
    if (t.held > 0) {
      t.steps.push_back(i);
      result.first[i] = t.steps.front();
    }
    if (releases(op) && t.held > 0 && --t.held == 0) {
      auto last = std::find_if(t.steps.rbegin(), t.steps.rend(),
                               [&](std::uint32_t step) { return kept[step]; });
      for (auto step = last; step != t.steps.rend(); ++step) {
        result.last[*step] = *last;
      }
      t.steps.clear();
    }
  }
  return result;
}

}  // namespace

void WantedValues::add(const RunSummary& run, const RecordedOrder& recorded, const Focus& focus,
                       bool worthwhile) {
  clear_if_full(known_, bounds_);
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> writes;  // address → steps
  std::vector<std::uint32_t> reads;
  for (std::uint32_t i = 0; i < run.steps.size(); ++i) {
    const Step& s = run.steps[i];
    if (s.event >= run.events.size() || !op_accesses(run.events[s.event].op)) {
      continue;
    }
    const AbstractEvent& e = run.events[s.event];
    if (!e.writes() && focus.contains(location_key(e)) == deciding_) {
      known_.insert(value_key(e.site.packed(), s.value));
      if (worthwhile) {
        reads.push_back(i);
      }
    } else if (worthwhile && e.writes()) {
      writes[s.address].push_back(i);
    }
  }
  if (reads.empty()) {
    return;
  }
  Sections sections = find_sections(run, recorded.kept);
  // A step without an entry in the order moves together with its critical section.
  auto movable = [&](std::uint32_t i) {
    return recorded.kept[sections.first[i]] && recorded.kept[sections.last[i]];
  };
  for (std::uint32_t r : reads) {
    auto found = writes.find(run.steps[r].address);
    if (found == writes.end() || !movable(r)) {
      continue;
    }
    const std::vector<std::uint32_t>& list = found->second;
    const AbstractEvent& e = run.events[run.steps[r].event];
    auto after =
        static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), r) - list.begin());
    std::size_t end = std::min(list.size(), after + kReach);
    auto can_pass = [&](std::uint32_t w) {
      return run.steps[w].thread != run.steps[r].thread && movable(w);
    };
    for (std::size_t k = after > kReach ? after - kReach : 0; k < end; ++k) {
      std::uint32_t w = list[k];
      // To read what an earlier write wrote, the reader runs before the one that came next.
      bool earlier = k < after;
      if (!can_pass(w) || run.events[run.steps[w].event].size != e.size ||
          (earlier && (k + 1 >= after || !can_pass(list[k + 1])))) {
        continue;
      }
      wish(e.site.packed(),
           {.order = recorded.entries,
            .thread = run.steps[r].thread,
            .reader = recorded.place[sections.first[r]],
            .read_end = recorded.place[r] + (recorded.kept[r] ? 1u : 0u),
            .write = recorded.place[earlier ? sections.first[list[k + 1]] : sections.last[w]],
            .key = value_key(e.site.packed(), run.steps[w].value)});
    }
  }
}

void WantedValues::forget() {
  readers_.clear();
  index_.clear();
}

void WantedValues::wish(std::uint64_t site, Wish wanted) {
  if (known_.contains(wanted.key)) {
    return;
  }
  auto [it, fresh] = index_.try_emplace(site, readers_.size());
  if (fresh) {
    if (readers_.size() >= kMaxReaders) {
      index_.erase(it);
      return;
    }
    readers_.emplace_back();
  }
  std::vector<Wish>& wishes = readers_[it->second].wishes;
  std::erase_if(wishes, [&](const Wish& w) { return w.key == wanted.key; });
  if (wishes.size() >= kMaxWishes) {
    wishes.erase(wishes.begin());
  }
  wishes.push_back(std::move(wanted));
}

// Chooses the code that was reached last half of the time, else the code that was tried least.
WantedValues::Reader* WantedValues::choose(Random& random) {
  bool newest = random.chance(1, 2);
  for (;;) {
    Reader* best = nullptr;
    for (Reader& r : readers_) {
      if (!r.wishes.empty() && (best == nullptr || newest || r.tries <= best->tries)) {
        best = &r;
      }
    }
    if (best == nullptr) {
      return nullptr;
    }
    // Wishes that have been fulfilled are removed only here: a search through all wishes after each
    // run would take longer than the run.
    std::erase_if(best->wishes, [&](const Wish& w) { return known_.contains(w.key); });
    if (!best->wishes.empty()) {
      return best;
    }
  }
}

bool WantedValues::take(Random& random, Schedule& schedule) {
  Reader* reader = choose(random);
  if (reader == nullptr) {
    return false;
  }
  ++reader->tries;
  const Wish& w = reader->wishes[random.below(reader->wishes.size())];
  known_.insert(w.key);
  const std::vector<Decision>& order = *w.order;
  std::uint32_t shared = std::min(w.reader, w.write);
  schedule.prefix.assign(order.begin(), order.begin() + shared);
  for (std::uint32_t i = shared; w.write > w.reader && i <= w.write && i < order.size(); ++i) {
    if (order[i].thread != w.thread) {
      schedule.prefix.push_back(order[i]);
    }
  }
  for (std::uint32_t i = shared; i < w.read_end; ++i) {
    if (order[i].thread == w.thread) {
      schedule.prefix.push_back(order[i]);
    }
  }
  schedule.guided = true;
  schedule.scheduler = random.chance(1, 2) ? SchedulerKind::kSteady : SchedulerKind::kWindow;
  return true;
}

}  // namespace rff
