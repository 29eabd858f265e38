#include "fuzzer/core/corpus.h"

namespace rff {

void Corpus::count(const RunSummary& run) {
  auto known = seen_.find(run.rf_combination);
  if (known != seen_.end()) {
    ++known->second;
  } else if (seen_.size() < bounds_.known) {
    seen_[run.rf_combination] = 1;
  }
}

bool Corpus::interesting(const RunSummary& run) const {
  if (run.new_control_flow) {
    return true;
  }
  bool fresh = false;
  for_each_pair(run, [&](const AbstractEvent& write, const AbstractEvent& read) {
    fresh = !pairs_.contains(pair_id(write, read));
    return !fresh;
  });
  return fresh;
}

bool Corpus::add(const AbstractSchedule& constraints, const RunSummary& run) {
  if (members_.size() >= bounds_.events || pairs_.size() >= bounds_.known ||
      constraints_ + constraints.size() > bounds_.events) {
    return false;
  }
  constraints_ += constraints.size();
  CorpusMember member;
  member.constraints = constraints;
  member.rf_combination = run.rf_combination;
  member.scheduling_points = run.scheduling_points;
  for_each_pair(run, [&](const AbstractEvent& write, const AbstractEvent& read) {
    pairs_.insert(pair_id(write, read));
    ++member.rf_pairs;
    return true;
  });
  total_scheduling_points_ += static_cast<double>(member.scheduling_points);
  total_rf_pairs_ += static_cast<double>(member.rf_pairs);
  members_.push_back(std::move(member));
  return true;
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
