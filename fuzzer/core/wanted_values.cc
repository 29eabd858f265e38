#include "fuzzer/core/wanted_values.h"

#include <algorithm>

#include "schedule/flat_map.h"

namespace rff {
namespace {

constexpr std::size_t kReach = 128;  // writes examined before and after a read

constexpr std::uint64_t kEnd = 1;          // where a thread goes after its last step
constexpr std::uint32_t kMostRounds = 64;  // a longer loop is looked at as one without rounds

std::uint64_t look_key(const Step& step, std::uint64_t site) {
  return hash_combine(site, step.thread);
}
std::uint64_t value_key(std::uint64_t site, std::uint64_t value) {
  return hash_combine(site, value);
}

// Names a place in code in a round of its loop; the first round is the place itself.
std::uint64_t place_in_round(std::uint64_t site, std::uint32_t round) {
  return round <= 1 ? site : hash_combine(site, round);
}

// The latest read of a thread at one place in code.
struct Look {
  std::uint32_t step = 0;
  std::uint32_t before = 0;  // the step of the read before it; 0 in the first round
  std::uint32_t rounds = 0;
};

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

// The accesses of a run that matter.
struct WantedValues::Seen {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> writes;  // address → steps
  std::vector<std::uint32_t> reads;                                      // steps
  FlatMap<Look> looks;  // by place in code and thread
};

void WantedValues::add(const RunSummary& run, const RecordedOrder& recorded, const Focus& focus,
                       bool worthwhile) {
  clear_if_full(known_, bounds_);
  clear_if_full(rounds_, bounds_);
  Seen seen;
  look_at(run, focus, worthwhile, seen);
  if (seen.reads.empty()) {
    return;
  }
  Sections sections = find_sections(run, recorded.kept);
  // A step without an entry in the order moves together with its critical section.
  auto movable = [&](std::uint32_t i) {
    return recorded.kept[sections.first[i]] && recorded.kept[sections.last[i]];
  };
  for (std::uint32_t r : seen.reads) {
    auto found = seen.writes.find(run.steps[r].address);
    if (found == seen.writes.end() || !movable(r)) {
      continue;
    }
    const std::vector<std::uint32_t>& list = found->second;
    const AbstractEvent& e = run.events[run.steps[r].event];
    const std::uint64_t site = e.site.packed();
    const Look& look = seen.looks.find(look_key(run.steps[r], site))->value;
    // In a round before the last, the value was one that lets the loop go on.
    const bool last_round = look.step == r && look.rounds <= kMostRounds;
    const std::uint64_t in_round = last_round ? place_in_round(site, look.rounds) : site;
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
      const std::uint64_t value = run.steps[w].value;
      Wish wanted{.order = recorded.entries,
                  .thread = run.steps[r].thread,
                  .reader = recorded.place[sections.first[r]],
                  .read_end = recorded.place[r] + (recorded.kept[r] ? 1u : 0u),
                  .write = recorded.place[earlier ? sections.first[list[k + 1]] : sections.last[w]],
                  .key = value_key(site, value),
                  .round_key = value_key(in_round, value)};
      wish(site, wanted, 0);
      // The read must not come before that of the last round.
      if (in_round != site && (!earlier || list[k + 1] > look.before)) {
        wanted.key = wanted.round_key;
        wish(in_round, std::move(wanted), site);
      }
    }
  }
}

void WantedValues::look_at(const RunSummary& run, const Focus& focus, bool worthwhile, Seen& seen) {
  std::vector<Read> previous;  // by thread
  for (std::uint32_t i = 0; i < run.steps.size(); ++i) {
    const Step& s = run.steps[i];
    // To leave a critical section decides nothing.
    if (s.event >= run.events.size() || releases(run.events[s.event].op)) {
      continue;
    }
    const AbstractEvent& e = run.events[s.event];
    const std::uint64_t site = e.site.packed();
    if (s.thread >= previous.size()) {
      previous.resize(s.thread + 1u);
    }
    follow(previous[s.thread], site);
    previous[s.thread] = {};
    if (!op_accesses(e.op)) {
      continue;
    }
    if (!e.writes() && focus.contains(location_key(e)) == deciding_) {
      previous[s.thread] = {site, &known_[value_key(site, s.value)]};
      Look& look = seen.looks[look_key(s, site)];
      look = {i, look.step, look.rounds + 1};
      if (look.rounds > 1 && look.rounds <= kMostRounds && rounds_.contains(site)) {
        known_.try_emplace(value_key(place_in_round(site, look.rounds), s.value));
      }
      if (worthwhile) {
        seen.reads.push_back(i);
      }
    } else if (worthwhile && e.writes()) {
      seen.writes[s.address].push_back(i);
    }
  }
  for (const Read& read : previous) {
    follow(read, kEnd);
  }
}

void WantedValues::follow(const Read& read, std::uint64_t next) {
  if (read.continued == nullptr) {
    return;
  }
  if (*read.continued == kUnseen) {
    *read.continued = next;
  } else if (*read.continued != next) {
    rounds_.insert(read.site);
  }
}

void WantedValues::forget() {
  readers_.clear();
  index_.clear();
}

void WantedValues::wish(std::uint64_t place, Wish wanted, std::uint64_t loop) {
  if (known_.contains(wanted.key)) {
    return;
  }
  auto [it, fresh] = index_.try_emplace(place, readers_.size());
  if (fresh) {
    // Rounds must leave room for places in code.
    if (readers_.size() >= (loop != 0 ? kMaxReaders / 2 : kMaxReaders)) {
      index_.erase(it);
      return;
    }
    readers_.emplace_back().loop = loop;
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
      bool matters = r.loop == 0 || rounds_.contains(r.loop);
      if (matters && !r.wishes.empty() && (best == nullptr || newest || r.tries <= best->tries)) {
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

// Chooses the wish whose read moves least half of the time: it disturbs what led there least, and
// values that are wanted one after the other are often written one soon after the other.
std::size_t WantedValues::pick(const std::vector<Wish>& wishes, Random& random) {
  if (random.chance(1, 2)) {
    return random.below(wishes.size());
  }
  auto nearest = std::min_element(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    return a.distance() < b.distance();
  });
  return static_cast<std::size_t>(nearest - wishes.begin());
}

bool WantedValues::take(Random& random, Schedule& schedule) {
  Reader* reader = choose(random);
  if (reader == nullptr) {
    return false;
  }
  ++reader->tries;
  const Wish& w = reader->wishes[pick(reader->wishes, random)];
  known_.try_emplace(w.key);
  known_.try_emplace(w.round_key);
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
