#include "fuzzer/systematic/reads_from_explorer.h"

#include <algorithm>

namespace rff {

std::optional<Exploration> ReadsFromExplorer::next(Random& /*random*/) {
  if (!began_) {
    began_ = true;
    plan_ = {};
    return plan_;
  }
  for (; !path_.empty(); path_.pop_back()) {
    PathNode& node = path_.back();
    if (node.alternatives.empty()) {
      continue;
    }
    PathAlternative next = std::move(node.alternatives.back());
    node.alternatives.pop_back();
    node.choice = std::move(next.choice);
    ++node.done;
    plan_ = std::move(next.plan);
    return plan_;
  }
  return std::nullopt;
}

std::vector<Exploration> ReadsFromExplorer::foresee(std::size_t most, Random& /*random*/) {
  std::vector<Exploration> plans;
  for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
    for (auto next = node->alternatives.rbegin(); next != node->alternatives.rend(); ++next) {
      if (plans.size() == most) {
        return plans;
      }
      plans.push_back(next->plan);
    }
  }
  return plans;
}

// Whether the run ended by the failure of a planned step, so that it shows less than its path.
bool ReadsFromExplorer::failed_as_planned(const ExploredRun& run) const {
  if (run.steps().empty() || !run.steps().back().ends_process ||
      run.steps().size() >= plan_.order.size()) {
    return false;
  }
  return std::equal(run.steps().begin(), run.steps().end(), plan_.order.begin(),
                    [](const ExploredStep& made, const rff::Decision& planned) {
                      return made.thread == planned.thread &&
                             made.check.id_bits() == planned.check.id_bits();
                    });
}

bool ReadsFromExplorer::observe(const ExploredRun& run) {
  if (!path_.empty() && failed_as_planned(run)) {
    PathNode& node = path_.back();
    ++classes_;
    node.add_deferral(node.defer);
    return true;
  }
  ReadsFrom reads_from(run);
  not_suited_ = reads_from.problem();
  if (!not_suited_.empty()) {
    return true;
  }
  ReadsFromPath path(path_, run, reads_from);
  if (!path.derive()) {
    ++redundant_;  // the planned choices are impossible
    return true;
  }
  path.add_deferrals();
  not_suited_ = path.problem();
  ++(path.whole() ? classes_ : redundant_);
  return true;
}

double ReadsFromExplorer::part_done() const {
  double part = began_ ? 1 : 0;
  for (std::size_t i = path_.size(); i-- > 0;) {
    const PathNode& node = path_[i];
    double all = static_cast<double>(node.done + 1 + node.alternatives.size());
    part = (static_cast<double>(node.done) + part) / all;
  }
  return part;
}

}  // namespace rff
