#include "fuzzer/core/wanted_values.h"

#include <algorithm>

#include "fuzzer/core/critical_sections.h"
#include "fuzzer/core/knowledge.h"
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

}  // namespace

// The accesses of a run that matter.
struct WantedValues::Seen {
  StepsByAddress writes;
  std::vector<std::uint32_t> reads;  // steps
  FlatMap<Look> looks;               // by place in code and thread
  // Two different values that were compared → the place of the first such comparison.
  FlatMap<std::uint64_t> compared;
  std::uint64_t agreement = 0;
};

// A read, and the places to which it can move.
struct WantedValues::Mover {
  const RunSummary& run;
  const RecordedOrder& recorded;
  const Seen& seen;
  const CriticalSections& sections;
  const SectionViews& views;

  // A step without an entry in the order moves together with its critical section.
  bool movable(std::uint32_t i) const {
    return recorded.kept[sections.first[i]] && recorded.kept[sections.last[i]];
  }
  bool can_pass(std::uint32_t r, std::uint32_t w) const {
    return run.steps[w].thread != run.steps[r].thread && movable(w);
  }

  // Calls visit(place, write, value) for values that `r` could read: when only the steps before
  // `place` have been made, after the entry `write` of the order or before it (see Wish).
  template <typename Visit>
  void for_each_value(std::uint32_t r, bool together, Visit visit) const {
    const std::vector<std::uint32_t>& list = seen.writes.at(run.steps[r].address);
    auto after =
        static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), r) - list.begin());
    std::size_t end = std::min(list.size(), after + kReach);
    for (std::size_t k = after > kReach ? after - kReach : 0; k < end; ++k) {
      std::uint32_t w = list[k];
      if (!can_pass(r, w) ||
          run.events[run.steps[w].event].size != run.events[run.steps[r].event].size) {
        continue;
      }
      const std::uint64_t value = run.steps[w].value;
      const std::uint32_t behind = sections.last[w] + 1;
      const std::uint32_t entry = recorded.place[sections.last[w]];
      if (k >= after) {
        visit(behind, entry, value);
        continue;
      }
      // To read what an earlier write wrote, the reader runs before the one that came next. Where
      // it reads more than that, it matters also what else was written in between.
      if (together && behind <= sections.first[r]) {
        visit(behind, entry + 1, value);
      }
      if (k + 1 < after && can_pass(r, list[k + 1])) {
        std::uint32_t next = sections.first[list[k + 1]];
        visit(next, recorded.place[next], value);
      }
    }
  }

  // Calls visit(next, value) for values that `r` would read if the thread that wrote the `next` one
  // had been held just before that.
  template <typename Visit>
  void for_each_held(std::uint32_t r, Visit visit) const {
    const std::vector<std::uint32_t>& list = seen.writes.at(run.steps[r].address);
    auto after =
        static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), r) - list.begin());
    for (std::size_t k = after > kReach ? after - kReach : 1; k < after; ++k) {
      std::uint32_t next = list[k];
      bool all_later_ones = run.steps[list[after - 1]].thread == run.steps[next].thread;
      if (all_later_ones && can_pass(r, next)) {
        visit(next, run.steps[list[k - 1]].value);
      }
    }
  }
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
  CriticalSections sections = find_sections(run, recorded.kept);
  SectionViews views(run, sections, seen.writes);
  seen.agreement = agreement_of(run);
  for (const ComparedValues& v : run.compared) {
    if (v.first != v.second) {
      seen.compared.insert(hash_combine(v.first, v.second)).first->value = v.site.packed();
      seen.compared.insert(hash_combine(v.second, v.first)).first->value = v.site.packed();
    }
  }
  for (std::uint32_t r : seen.reads) {
    wish_for(r, {run, recorded, seen, sections, views});
  }
}

void WantedValues::wish_for(std::uint32_t r, const Mover& mover) {
  const auto& run = mover.run;
  const auto& recorded = mover.recorded;
  const auto& seen = mover.seen;
  const auto& sections = mover.sections;
  const auto& views = mover.views;
  if (!seen.writes.contains(run.steps[r].address) || !mover.movable(r)) {
    return;
  }
  const std::uint64_t site = run.events[run.steps[r].event].site.packed();
  const Look& look = seen.looks.find(look_key(run.steps[r], site))->value;
  // In a round before the last, the value was one that lets the loop go on.
  const bool last_round = look.step == r && look.rounds <= kMostRounds;
  const std::uint64_t in_round = last_round ? place_in_round(site, look.rounds) : site;
  const bool together = views.together(r);
  if (together) {
    known_.try_emplace(views.seen(r));
  }
  Wish wanted{.order = recorded.entries,
              .thread = run.steps[r].thread,
              .reader = recorded.place[sections.first[r]],
              .read_end = recorded.place[r] + (recorded.kept[r] ? 1u : 0u)};
  // The runtime leaves a value where it lies in its word.
  const std::uint64_t low_bits = run.steps[r].address % 8 * 8;
  const std::uint64_t read = run.steps[r].value >> low_bits;
  if (!together && !run.compared.empty()) {
    mover.for_each_held(r, [&](std::uint32_t next, std::uint64_t value) {
      if (auto* at = seen.compared.find(hash_combine(read, value >> low_bits))) {
        Wish held = wanted;
        held.write = recorded.place[sections.first[next]];
        held.held = run.steps[next].thread;
        held.round_key = value_key(site, value);
        held.key = next_try(hash_combine(held.round_key, at->value + 1), seen.agreement);
        wish(site, held, 0, Only::kCompared);
      }
    });
  }
  mover.for_each_value(
      r, together, [&](std::uint32_t place, std::uint32_t write, std::uint64_t value) {
        wanted.write = write;
        if (auto* at =
                together ? nullptr : seen.compared.find(hash_combine(read, value >> low_bits))) {
          wanted.round_key = value_key(site, value);
          wanted.key = next_try(hash_combine(wanted.round_key, at->value), seen.agreement);
          wish(site, wanted, 0, Only::kCompared);
        }
        value = together ? views.at(r, place) : value;
        const Only kind = together ? Only::kTogether : Only::kAll;
        wanted.key = together ? value : value_key(site, value);
        wanted.round_key = value_key(in_round, value);
        wish(site, wanted, 0, kind);
        // The read must not come before that of the last round.
        if (in_round != site && place > look.before) {
          wanted.key = wanted.round_key;
          wish(in_round, wanted, site, kind);
        }
      });
}

std::uint64_t WantedValues::next_try(std::uint64_t key, std::uint64_t agreement) const {
  std::uint64_t n = 1;
  while (n < kTriesOfCompared && known_.contains(hash_combine(key, n))) {
    ++n;
  }
  key = hash_combine(key, n);
  return agreement != 0 && known_.contains(key) ? hash_combine(key, agreement) : key;
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
  any_compared_ = false;
}

void WantedValues::wish(std::uint64_t place, const Wish& wanted, std::uint64_t loop, Only kind) {
  if (known_.contains(wanted.key)) {
    return;
  }
  place = kind != Only::kAll ? hash_combine(place, static_cast<std::uint64_t>(kind)) : place;
  auto [it, fresh] = index_.try_emplace(place, readers_.size());
  if (fresh) {
    // Rounds must leave room for places in code.
    if (readers_.size() >= (loop != 0 ? kMaxReaders / 2 : kMaxReaders)) {
      index_.erase(it);
      return;
    }
    readers_.push_back({.kind = kind, .loop = loop});
  }
  any_compared_ |= kind == Only::kCompared;
  std::vector<Wish>& wishes = readers_[it->second].wishes;
  std::erase_if(wishes, [&](const Wish& w) { return w.key == wanted.key; });
  if (wishes.size() >= kMaxWishes) {
    wishes.erase(wishes.begin());
  }
  wishes.push_back(wanted);
}

// Chooses the code that was reached last half of the time, else the code that was tried least.
WantedValues::Reader* WantedValues::choose(Random& random, Only only) {
  bool newest = random.chance(1, 2);
  for (;;) {
    Reader* best = nullptr;
    for (Reader& r : readers_) {
      bool matters =
          (r.loop == 0 || rounds_.contains(r.loop)) && (only == Only::kAll || r.kind == only);
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

void WantedValues::go_on_from_prefix(Random& random, Schedule& schedule) {
  schedule.guided = true;
  schedule.scheduler = random.chance(1, 2) ? SchedulerKind::kSteady : SchedulerKind::kWindow;
}

bool WantedValues::take(Random& random, Only only, Schedule& schedule) {
  if (only == Only::kCompared && !any_compared_) {
    return false;
  }
  Reader* reader = choose(random, only);
  if (reader == nullptr) {
    return false;
  }
  ++reader->tries;
  const Wish& w = reader->wishes[pick(reader->wishes, random)];
  known_.try_emplace(w.key);
  known_.try_emplace(w.round_key);
  const std::vector<Decision>& order = *w.order;
  if (w.held != Wish::kNobody) {
    for (std::uint32_t i = 0; i < w.read_end; ++i) {
      if (i < w.write || order[i].thread != w.held) {
        schedule.prefix.push_back(order[i]);
      }
    }
    go_on_from_prefix(random, schedule);
    return true;
  }
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
  go_on_from_prefix(random, schedule);
  return true;
}

}  // namespace rff
