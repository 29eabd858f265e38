#include "fuzzer/core/work_profile.h"

#include <algorithm>
#include <map>

namespace rff {

void WorkProfile::observe(const RunSummary& run) {
  Run profile;
  std::vector<std::string> names = {"main"};  // in order of creation
  std::vector<unsigned> children = {0};
  std::vector<std::uint64_t> threads = {hash_bytes(names[0])};
  std::unordered_map<std::uint64_t, std::size_t> index;  // place → index in `places`
  for (const Step& s : run.steps) {
    if (s.event >= run.events.size() || s.thread >= names.size()) {
      continue;
    }
    const AbstractEvent& e = run.events[s.event];
    if (s.check != 0) {
      ++profile.points[threads[s.thread]];
      std::uint64_t key = selection_key(e, selection_);
      auto [it, fresh] = index.try_emplace(key, profile.places.size());
      if (fresh && profile.places.size() < kMaxPlaces) {
        profile.places.push_back({key, 0, {}});
      }
      if (key != 0 && it->second < profile.places.size() && depends_on_schedule(e)) {
        ++profile.places[it->second].points;
        ++profile.places[it->second].by_thread[threads[s.thread]];
      }
    }
    if (e.op == OpKind::kThreadCreate) {
      names.push_back(names[s.thread] + "." + std::to_string(++children[s.thread]));
      children.push_back(0);
      threads.push_back(hash_bytes(names.back()));
      profile.creators[threads.back()] = threads[s.thread];
    }
  }
  std::erase_if(profile.places, [](const Place& p) { return p.by_thread.size() < 2; });
  runs_.push_back(std::move(profile));
  if (runs_.size() > kRuns) {
    runs_.pop_front();
  }
}

template <typename Points>
Estimates WorkProfile::mean(std::uint64_t key, Points points_of) const {
  std::map<std::uint64_t, std::uint64_t> sums;
  for (const Run& run : runs_) {
    const PointsByThread* points = points_of(run);
    if (points == nullptr) {
      continue;
    }
    for (const auto& [thread, n] : *points) {
      std::uint64_t counts_for = thread;
      sums[counts_for] += n;
      for (auto it = run.creators.find(counts_for); it != run.creators.end();
           it = run.creators.find(counts_for)) {
        counts_for = it->second;
        sums[counts_for] += n;
      }
    }
  }
  Estimates result = {key, {}, key != 0 ? selection_ : EventSelection{}};
  for (const auto& [thread, sum] : sums) {
    result.threads.push_back({thread, (sum + runs_.size() - 1) / runs_.size()});
  }
  return result;
}

Estimates WorkProfile::all_events() const {
  return mean(0, [](const Run& run) { return &run.points; });
}

Estimates WorkProfile::one_set(Random& random) const {
  const std::vector<Place>& places = runs_.back().places;
  std::uint64_t sum = 0;
  for (const Place& p : places) {
    sum += p.points;
  }
  if (sum == 0) {
    return all_events();
  }
  std::uint64_t at = random.below(sum);
  auto drawn = std::find_if(places.begin(), places.end(), [&](const Place& p) {
    bool here = at < p.points;
    at -= here ? 0 : p.points;
    return here;
  });
  std::uint64_t key = drawn->key;
  return mean(key, [key](const Run& run) -> const PointsByThread* {
    auto it = std::find_if(run.places.begin(), run.places.end(),
                           [key](const Place& p) { return p.key == key; });
    return it != run.places.end() ? &it->by_thread : nullptr;
  });
}

}  // namespace rff
