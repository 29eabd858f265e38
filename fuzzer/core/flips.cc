#include "fuzzer/core/flips.h"

#include <algorithm>

namespace rff {
namespace {

// Returns the constraint that lets the second step of a race come before the first, for all
// threads; an invalid one if there is none.
Constraint abstract_flip(const RunSummary& run, const Race& race) {
  const AbstractEvent& a = run.events[run.steps[race.first].event];
  const AbstractEvent& b = run.events[run.steps[race.second].event];
  if (race.lock) {
    for (std::uint32_t i = race.second + 1; i < run.steps.size(); ++i) {
      const Step& s = run.steps[i];
      if (s.thread == run.steps[race.second].thread &&
          s.address == run.steps[race.second].address && s.event < run.events.size()) {
        return {run.events[s.event], a, true};  // b's section comes first
      }
    }
    return {};
  }
  if (a.reads() && b.writes()) {
    return {b, a, true};
  }
  if (a.writes() && b.reads()) {
    return {a, b, false};
  }
  return {};
}

}  // namespace

void Flips::add(const RunSummary& run, const RecordedOrder& recorded) {
  clear_if_full(tried_sites_, bounds_);
  clear_if_full(tried_threads_, bounds_);
  clear_if_full(tried_constraints_, bounds_);
  clear_if_full(threads_at_, bounds_);
  clear_if_full(record_, bounds_);
  count_threads(run);
  for (const Race& race : find_races(run)) {
    if (!recorded.kept[race.first] || !recorded.kept[race.second]) {
      continue;
    }
    const Step& a = run.steps[race.first];
    const Step& b = run.steps[race.second];
    const AbstractEvent& ea = run.events[a.event];
    const AbstractEvent& eb = run.events[b.event];
    Flip f;
    f.order = recorded.entries;
    f.first = recorded.place[race.first];
    f.second = recorded.place[race.second];
    f.lock = race.lock;
    f.far = race.far;
    f.idle = race.idle;
    f.plain_write = op_accesses(eb.op) && eb.writes();
    f.frees = eb.op == OpKind::kFree;
    f.predicted = race.predicted;
    f.sites = hash_combine(ea.site.packed(), eb.site.packed());
    f.threads = hash_combine(f.sites, (std::uint64_t{a.thread} << 32) | b.thread);
    f.where = location_key(eb);
    f.constraint = abstract_flip(run, race);
    if (!f.constraint.valid()) {
      f.constraint = {};
    }
    insert(std::move(f));
  }
}

void Flips::count_threads(const RunSummary& run) {
  std::unordered_set<std::uint64_t> seen;
  for (const Step& s : run.steps) {
    if (s.event < run.events.size()) {
      std::uint64_t site = run.events[s.event].site.packed();
      if (seen.insert(hash_combine(site, s.thread)).second) {
        ++threads_at_[site];
      }
    }
  }
}

void Flips::insert(Flip flip) {
  ++inserted_;
  auto [it, fresh] = group_of_.try_emplace(flip.sites, groups_.size());
  if (fresh) {
    if (groups_.size() >= kMaxGroups) {
      group_of_.erase(it);
      return;
    }
    groups_.push_back({flip.sites, {}});
  }
  std::vector<Flip>& flips = groups_[it->second].flips;
  if (flips.size() < kMaxFlips) {
    flips.push_back(std::move(flip));
  } else {
    flips[mix64(inserted_) % kMaxFlips] = std::move(flip);
  }
}

void Flips::erase(std::size_t group, std::size_t flip) {
  std::vector<Flip>& flips = groups_[group].flips;
  std::swap(flips[flip], flips.back());
  flips.pop_back();
  if (flips.empty()) {
    group_of_.erase(groups_[group].sites);
    std::swap(groups_[group], groups_.back());
    groups_.pop_back();
    if (group < groups_.size()) {
      group_of_[groups_[group].sites] = group;
    }
  }
}

double Flips::rank(const Flip& f, const EventPool& pool, const Focus& focus) const {
  double level = 4;
  auto tried = tried_sites_.find(f.sites);
  unsigned ways = tried == tried_sites_.end() ? 0 : tried->second;
  if (ways == 0) {
    level = f.predicted == 0 ? 1.5 : pool.seen(f.predicted) ? 1 : 0;
  } else if (ways != kBoth) {
    level = f.predicted == 0 ? 2 : 1.2;
  } else if (f.predicted != 0 && !pool.seen(f.predicted) && f.taken == 0) {
    level = 1.5;
  } else if (f.lock && f.taken == 1) {
    level = 2;
  } else if (!tried_threads_.contains(f.threads)) {
    level = 3;
  }
  if (f.idle) {
    level += 2;
  }
  if (f.far) {
    level += 0.5;
  }
  if (!focus.contains(f.where)) {
    auto record = record_.find(f.where);
    unsigned fruitless = record == record_.end() ? 0 : record->second.fruitless;
    level += fruitless == 0 ? 0.7 : fruitless == 1 ? 3 : 8;
  }
  constexpr double kBeforeAllOthers = 5;
  if (frees_first_ && f.frees && ways != kBoth) {
    level -= kBeforeAllOthers;
  }
  return level + f.taken;
}

bool Flips::take(Random& random, const EventPool& pool, const Focus& focus, bool promising,
                 Schedule& schedule) {
  if (groups_.empty()) {
    return false;
  }
  std::size_t best_group = 0;
  std::size_t best_flip = 0;
  double best_rank = 1e9;
  for (std::size_t k = 0; k < std::min(groups_.size(), kLookAt); ++k) {
    std::size_t g = groups_.size() <= kLookAt ? k : random.below(groups_.size());
    const std::vector<Flip>& flips = groups_[g].flips;
    for (std::size_t l = 0; l < std::min(flips.size(), kLookInto); ++l) {
      std::size_t i = flips.size() <= kLookInto ? l : random.below(flips.size());
      double r = rank(flips[i], pool, focus) + static_cast<double>(random.below(1000)) / 2000;
      if (r < best_rank) {
        best_group = g;
        best_flip = i;
        best_rank = r;
      }
    }
  }
  constexpr double kPromising = 3;
  if (promising && best_rank >= kPromising) {
    return false;
  }
  Flip& f = groups_[best_group].flips[best_flip];
  tried_threads_.insert(f.threads);
  last_where_ = f.where;
  unsigned threads = threads_at_[f.constraint.read.site.packed()];
  std::uint64_t abstract = threads >= 3 ? 6 : threads == 2 ? 3 : 1;
  bool has_constraint = f.constraint.read.op != OpKind::kNone;
  if (has_constraint && random.chance(abstract, 10) &&
      tried_constraints_
          .insert(
              hash_combine(pair_id(f.constraint.write, f.constraint.read), f.constraint.positive))
          .second) {
    schedule.scheduler = SchedulerKind::kWindow;
    schedule.constraints.insert(f.constraint);
    return true;
  }
  unsigned& ways = tried_sites_[f.sites];
  Continuation then = ways == kRandomly                          ? kSteadily
                      : ways == kSteadily || random.chance(1, 4) ? kRandomly
                                                                 : kSteadily;
  ways |= then;
  make_concrete(f, then, schedule);
  ++f.taken;
  if (f.taken >= (f.lock ? 2 : 1)) {
    erase(best_group, best_flip);
  }
  return true;
}

void Flips::make_concrete(const Flip& f, Continuation then, Schedule& schedule) const {
  const std::vector<Decision>& order = *f.order;
  Decision first = order[f.first];
  std::vector<Decision>& guide = schedule.prefix;
  guide.assign(order.begin(), order.begin() + f.first);
  for (std::uint32_t i = f.first + 1; i <= f.second; ++i) {
    if (order[i].thread != first.thread) {
      guide.push_back(order[i]);
    }
  }
  bool back = f.lock ? (f.taken == 0) : f.plain_write;
  if (back) {
    guide.push_back(first);
  }
  schedule.guided = true;
  schedule.scheduler = then == kRandomly ? SchedulerKind::kWindow : SchedulerKind::kSteady;
}

void Flips::forget() {
  groups_.clear();
  group_of_.clear();
}

void Flips::report(bool fruitful) {
  Record& r = record_[last_where_];
  fruitful ? ++r.fruitful : ++r.fruitless;
}

}  // namespace rff
