#include "fuzzer/core/corpus.h"

namespace rff {
namespace {

template <typename Visit>
void for_each_pair(const RunSummary& run, Visit visit) {
  for (const ReadsFromPair& p : run.pairs) {
    if (p.write < run.events.size() && p.read < run.events.size()) {
      if (!visit(pair_id(run.events[p.write], run.events[p.read]))) {
        return;
      }
    }
  }
}

}  // namespace

bool Corpus::interesting(const RunSummary& run) const {
  if (run.new_edges > 0) {
    return true;
  }
  bool fresh = false;
  for_each_pair(run, [&](std::uint64_t id) {
    fresh = !pairs_.contains(id);
    return !fresh;
  });
  return fresh;
}

void Corpus::add(const AbstractSchedule& constraints, const RunSummary& run) {
  CorpusMember member;
  member.constraints = constraints;
  member.rf_combination = run.rf_combination;
  member.scheduling_points = run.scheduling_points;
  for_each_pair(run, [&](std::uint64_t id) {
    pairs_.insert(id);
    ++member.rf_pairs;
    return true;
  });
  total_scheduling_points_ += static_cast<double>(member.scheduling_points);
  total_rf_pairs_ += static_cast<double>(member.rf_pairs);
  members_.push_back(std::move(member));
}

std::uint64_t Corpus::frequency(const CorpusMember& member) const {
  auto it = seen_.find(member.rf_combination);
  return it == seen_.end() ? 0 : it->second;
}

double Corpus::mean_frequency() const {
  double sum = 0;
  for (const CorpusMember& member : members_) {
    sum += static_cast<double>(frequency(member));
  }
  return members_.empty() ? 0 : sum / static_cast<double>(members_.size());
}

double Corpus::mean_scheduling_points() const {
  return members_.empty() ? 0 : total_scheduling_points_ / static_cast<double>(members_.size());
}

double Corpus::mean_rf_pairs() const {
  return members_.empty() ? 0 : total_rf_pairs_ / static_cast<double>(members_.size());
}

}  // namespace rff
