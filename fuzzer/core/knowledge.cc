#include "fuzzer/core/knowledge.h"

#include <vector>

#include "fuzzer/core/round_robin.h"

namespace rff {
namespace {

// Returns for each thread of a run a hash of the sequence of sites that it passed.
std::vector<std::uint64_t> thread_paths(const RunSummary& run) {
  std::vector<std::uint64_t> paths;
  for (const Step& s : run.steps) {
    if (s.event >= run.events.size()) {
      continue;
    }
    if (s.thread >= paths.size()) {
      paths.resize(s.thread + 1u, 0);
    }
    paths[s.thread] = hash_combine(paths[s.thread], run.events[s.event].site.packed());
  }
  return paths;
}

}  // namespace

std::uint64_t agreement_of(const RunSummary& run) {
  std::uint64_t agreement = 0;
  for (const ComparedValues& v : run.compared) {
    agreement += v.first == v.second ? hash_combine(v.site.packed(), v.first) : 0;
  }
  return agreement;
}

Knowledge::Knowledge(const FuzzPlan& plan)
    : bounds_(plan.bounds),
      learns_from_order_(plan.search.learns_from_order()),
      pool_(plan.bounds),
      focus_(plan.bounds) {}

Lesson Knowledge::learn(const Schedule& schedule, const RunSummary& run) {
  Lesson lesson{.run = run};
  lesson.new_pairs = pool_.observe(run).size();
  if (learns_from_order_) {
    learn_order(schedule, lesson);
  }
  return lesson;
}

bool Knowledge::compares_anew(const RunSummary& run) {
  constexpr unsigned kPairsOfAPlace = 8;
  clear_if_full(compared_, bounds_);
  std::uint64_t agreement = agreement_of(run);
  bool anew = agreement != 0 && agreements_.size() < kMostAgreements &&
              ++agreements_[agreement] <= kRunsOfAnAgreement;
  for (const ComparedValues& v : run.compared) {
    unsigned& pairs = compared_[v.site.packed()];
    if (pairs < kPairsOfAPlace) {
      std::uint64_t pair = hash_combine(v.site.packed(), hash_combine(v.first, v.second));
      bool fresh = compared_.try_emplace(pair, kPairsOfAPlace).second;
      pairs += fresh ? 1 : 0;
      anew |= fresh;
    }
  }
  return anew;
}

void Knowledge::learn_order(const Schedule& schedule, Lesson& lesson) {
  clear_if_full(paths_, bounds_);
  for (std::uint64_t path : thread_paths(lesson.run)) {
    lesson.new_path |= paths_.insert(path).second;
  }
  focus_.observe(lesson.run);
  lesson.order =
      record_order(lesson.run, [&](const AbstractEvent& e) { return pool_.steerable(e); });
  lesson.order.entries = orders_.count(std::move(lesson.order.entries));
  // An out-of-step round robin run is always new, but rarely a useful start for other runs.
  bool compares = compares_anew(lesson.run);
  lesson.worthwhile =
      (lesson.new_path || lesson.new_pairs > 0 || compares) && !is_out_of_step(schedule);
}

}  // namespace rff
