#include "fuzzer/systematic/trace_explorer.h"

#include <algorithm>

namespace rff {
namespace {

// Whether the step of the plan and the one of the run are the same.
bool same_step(const ExploredStep& planned, const ExploredStep& made) {
  return planned.thread == made.thread && planned.check.id_bits() == made.check.id_bits();
}

bool contains_thread(const std::vector<SharedStep>& steps, std::uint16_t thread) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const SharedStep& s) { return s->thread == thread; });
}

// Whether the sequence may as well begin with the step, which has been made there; see
// StepSequence.
bool may_begin_with(const std::vector<SharedStep>& sequence, const ExploredStep& step,
                    bool large_steps) {
  auto own = std::find_if(sequence.begin(), sequence.end(),
                          [&](const SharedStep& s) { return s->thread == step.thread; });
  if (large_steps && own == sequence.end()) {
    return false;
  }
  return std::none_of(sequence.begin(), own, [&](const SharedStep& s) {
    return conflict(*s, own != sequence.end() && !large_steps ? **own : step);
  });
}

}  // namespace

std::vector<SharedStep> TraceExplorer::still_asleep(const std::vector<SharedStep>& asleep,
                                                    const ExploredStep& made) {
  std::vector<SharedStep> still;
  for (const SharedStep& s : asleep) {
    if (s->thread != made.thread && !conflict(*s, made)) {
      still.push_back(s);
    }
  }
  return still;
}

std::optional<Exploration> TraceExplorer::next(Random& /*random*/) {
  if (!began_) {
    began_ = true;
    return Exploration{};
  }
  alternative_.clear();
  while (!path_.empty()) {
    Node& node = path_.back();
    if (node.made && plan_alternative(node)) {
      return plan();
    }
    if (!node.wakeups.empty()) {
      plan_wakeup();
      return plan();
    }
    if (plan_attempt()) {
      return plan();
    }
    path_.pop_back();
  }
  return std::nullopt;
}

// Returns the next values of what the program's world chooses in a step; empty if there are none.
std::vector<std::uint32_t> TraceExplorer::next_values(const ExploredStep& step) {
  std::vector<std::uint32_t> values = step.values;
  while (!values.empty() && values.back() + 1 >= step.bounds[values.size() - 1]) {
    values.pop_back();
  }
  if (!values.empty()) {
    ++values.back();
  }
  return values;
}

// Plans the same step with the next values.
bool TraceExplorer::plan_alternative(Node& node) {
  alternative_ = next_values(*node.step);
  branch_ = path_.size() - 1;
  return !alternative_.empty();
}

void TraceExplorer::put_to_sleep(Node& node) {
  branch_ = path_.size() - 1;
  if (node.made) {
    node.asleep.push_back(std::move(node.step));
    node.made = false;
    ++node.done;
  }
}

// Plans the first sequence of the wakeup tree. What else is in the tree stays to be explored.
void TraceExplorer::plan_wakeup() {
  put_to_sleep(path_.back());
  for (;;) {
    Node& node = path_.back();
    WakeupTree first = std::move(node.wakeups.children.front());
    node.wakeups.children.erase(node.wakeups.children.begin());
    node.step = std::move(first.step);
    if (first.empty()) {
      return;
    }
    Node below;
    below.asleep = still_asleep(node.asleep, *node.step);
    below.wakeups.children = std::move(first.children);
    path_.push_back(std::move(below));
  }
}

bool TraceExplorer::plan_attempt() {
  Node& last = path_.back();
  if (last.attempts.empty()) {
    return false;
  }
  put_to_sleep(last);
  while (!path_.back().attempts.empty()) {
    Node& node = path_.back();
    std::vector<SharedStep> attempt = std::move(node.attempts.back());
    node.attempts.pop_back();
    bool covered = std::any_of(node.asleep.begin(), node.asleep.end(), [&](const SharedStep& s) {
      return may_begin_with(attempt, *s, large_steps_);
    });
    if (covered) {
      continue;
    }
    node.step = attempt.front();
    for (std::size_t i = 1; i < attempt.size(); ++i) {
      Node below;
      below.asleep = still_asleep(path_.back().asleep, *path_.back().step);
      below.step = attempt[i];
      path_.push_back(std::move(below));
    }
    return true;
  }
  return false;
}

void TraceExplorer::add_step(Exploration& plan, const ExploredStep& step) {
  plan.order.push_back({step.thread, step.check});
  plan.choices.insert(plan.choices.end(), step.values.begin(), step.values.end());
}

// The order does not matter, so that it is always the same one.
void TraceExplorer::set_asleep(Exploration& plan, const std::vector<SharedStep>& asleep) {
  for (const SharedStep& s : asleep) {
    plan.asleep.push_back(s->thread);
  }
  std::sort(plan.asleep.begin(), plan.asleep.end());
}

Exploration TraceExplorer::plan_until(std::size_t length) const {
  Exploration plan;
  for (std::size_t i = 0; i < length; ++i) {
    add_step(plan, *path_[i].step);
  }
  return plan;
}

Exploration TraceExplorer::plan() const {
  const Node& last = path_.back();
  Exploration plan = plan_until(path_.size());
  if (!alternative_.empty()) {
    plan.choices.resize(plan.choices.size() - last.step->values.size());
    plan.choices.insert(plan.choices.end(), alternative_.begin(), alternative_.end());
  }
  set_asleep(plan, still_asleep(last.asleep, *last.step));
  return plan;
}

// The wakeup trees of the path are explored from the last node up. Each sequence
// wakes up all that sleeps, so what other runs add until then makes no difference to it.
std::vector<Exploration> TraceExplorer::foresee(std::size_t most, Random& /*random*/) {
  std::vector<Exploration> plans;
  for (std::size_t i = path_.size(); i-- > 0 && plans.size() < most;) {
    const Node& node = path_[i];
    if (node.wakeups.empty()) {
      continue;
    }
    std::vector<SharedStep> asleep = node.asleep;
    if (node.step) {
      asleep.push_back(node.step);
    }
    foresee(node.wakeups, plan_until(i), std::move(asleep), most, plans);
  }
  return plans;
}

void TraceExplorer::foresee(const WakeupTree& tree, const Exploration& so_far,
                            std::vector<SharedStep> asleep, std::size_t most,
                            std::vector<Exploration>& plans) {
  for (const WakeupTree& child : tree.children) {
    if (plans.size() >= most) {
      return;
    }
    Exploration with = so_far;
    add_step(with, *child.step);
    std::vector<SharedStep> still = still_asleep(asleep, *child.step);
    if (child.empty()) {
      set_asleep(with, still);
      plans.push_back(std::move(with));
    } else {
      foresee(child, with, std::move(still), most, plans);
    }
    asleep.push_back(child.step);
  }
}

bool TraceExplorer::observe(const ExploredRun& run) {
  if (!path_.empty() && run.steps().size() <= branch_) {
    return false;  // earlier runs went on from there
  }
  for (std::size_t i = 0; i < branch_; ++i) {
    if (i >= run.steps().size() || !same_step(*path_[i].step, run.steps()[i])) {
      return false;
    }
  }
  std::size_t followed = follow(run);
  bool whole = followed == run.steps().size();
  ++(whole ? classes_ : redundant_);
  // With large steps what was planned may turn out to be needless. What the run did up to there
  // counts all the same, since nothing else may lead there.
  std::size_t end = whole ? run.steps().size() + run.pending().size() : large_steps_ ? followed : 0;
  for (std::size_t j = 0; j < end; ++j) {
    add_races(run, j, followed);
  }
  return true;
}

// Makes the path that of the run, up to a step that need not be made. Returns the number of steps
// before that.
std::size_t TraceExplorer::follow(const ExploredRun& run) {
  std::size_t planned = path_.size();
  for (std::size_t i = branch_; i < run.steps().size(); ++i) {
    const ExploredStep& made = run.steps()[i];
    if (i < planned && !same_step(*path_[i].step, made)) {
      // The planned step had to wait. What else is planned here stays; below, nothing.
      path_.resize(i + 1);
      path_[i].made = false;
      planned = i + 1;
    }
    if (i >= path_.size()) {
      path_.emplace_back();
    }
    if (i > branch_) {
      path_[i].asleep = still_asleep(path_[i - 1].asleep, *path_[i - 1].step);
    }
    if (contains_thread(path_[i].asleep, made.thread)) {
      bool more = (large_steps_ || i > branch_) && plan_awake(path_[i], made);
      path_.resize(more || i < planned ? i + 1 : i);
      return i;
    }
    path_[i].step = made.bare();
    path_[i].made = true;
  }
  path_.resize(run.steps().size());
  return run.steps().size();
}

// A run may come to a step that need not be made although there are others: the runtime did not
// know what sleeps if the last planned step did something else than it had done before, and with
// large steps what is planned may turn out to be needless. Plans the step of a thread that is
// awake.
bool TraceExplorer::plan_awake(Node& node, const ExploredStep& made) {
  for (std::size_t i = 0; i < made.options.size() && node.wakeups.empty(); ++i) {
    if (contains_thread(node.asleep, made.options[i])) {
      continue;
    }
    auto step = std::make_shared<ExploredStep>();
    step->thread = made.options[i];
    step->check = made.option_checks[i];
    node.wakeups.children.push_back({std::move(step), {}});
    node.made = false;
    return true;
  }
  return false;
}

void TraceExplorer::add_races(const ExploredRun& run, std::size_t j, std::size_t followed) {
  for (ExploredRun::Race race : run.races_of(j)) {
    // All that does not depend on the step that came first, also what followed the race: it may be
    // the reason why this is new.
    std::vector<std::size_t> steps;
    for (std::size_t k = race.with + 1; k < followed; ++k) {
      if (k != j && !run.before(race.with, k)) {
        steps.push_back(k);
      }
    }
    steps.push_back(j);
    Node& node = path_[race.with];
    StepSequence sequence(run, steps);
    bool covered = std::any_of(node.asleep.begin(), node.asleep.end(), [&](const SharedStep& s) {
      return large_steps_ ? sequence.surely_may_begin_with(*s, true) : sequence.may_begin_with(*s);
    });
    if (covered) {
      continue;
    }
    if (race.certain) {
      node.wakeups.insert(std::move(sequence), large_steps_);
    } else {
      std::vector<SharedStep> attempt;
      for (std::size_t k : steps) {
        attempt.push_back(run.at(k).bare());
      }
      node.attempts.push_back(std::move(attempt));
    }
  }
}

double TraceExplorer::part_done() const {
  double part = began_ ? 1 : 0;
  for (std::size_t i = path_.size(); i-- > 0;) {
    const Node& node = path_[i];
    double all = static_cast<double>(node.done + 1 + node.wakeups.children.size());
    part = (static_cast<double>(node.done) + part) / all;
  }
  return part;
}

}  // namespace rff
