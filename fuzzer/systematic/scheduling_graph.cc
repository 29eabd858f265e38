#include "fuzzer/systematic/scheduling_graph.h"

#include <algorithm>
#include <utility>

namespace rff {

std::optional<Exploration> SchedulingGraph::next(Random& random) {
  planned_ = {};
  if (!foreseen_.empty()) {
    planned_ = std::move(foreseen_.front());
    foreseen_.pop_front();
  } else if (began_ && !plan_from(root_, random, planned_)) {
    return std::nullopt;
  }
  return planned_;
}

std::vector<Exploration> SchedulingGraph::foresee(std::size_t most, Random& random) {
  Exploration plan;
  while (began_ && foreseen_.size() < most && plan_from(root_, random, plan)) {
    foreseen_.push_back(std::exchange(plan, {}));
  }
  return {foreseen_.begin(), foreseen_.end()};
}

// Adds the choices that lead to something unexplored that is not planned yet. Returns false if
// there is nothing below the node.
bool SchedulingGraph::plan_from(Node& node, Random& random, Exploration& plan) const {
  std::vector<std::size_t> able = open_alternatives(node);
  while (!able.empty()) {
    std::size_t drawn = pick_ == Exploration::Rest::kRandom ? random.below(able.size()) : 0;
    Node::Alternative& a = node.alternatives[able[drawn]];
    able.erase(able.begin() + static_cast<std::ptrdiff_t>(drawn));
    if (node.of_world) {
      plan.choices.push_back(a.value);
    } else {
      plan.order.push_back(a.step);
    }
    if (a.below == nullptr || plan_from(*a.below, random, plan)) {
      a.planned = a.below == nullptr;
      return true;
    }
    if (node.of_world) {
      plan.choices.pop_back();
    } else {
      plan.order.pop_back();
    }
  }
  return false;
}

std::vector<std::size_t> SchedulingGraph::open_alternatives(const Node& node) const {
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < node.alternatives.size(); ++i) {
    const Node::Alternative& a = node.alternatives[i];
    if (!a.explored && !a.planned && (a.below == nullptr ? a.cost : a.below->opens_at) <= most_) {
      able.push_back(i);
    }
  }
  return able;
}

// The cost of an option: whether it preempts the thread that ran last, or how many threads it skips
// in the order without preemption, by number.
std::uint32_t SchedulingGraph::cost(const ExploredStep& step, std::size_t option,
                                    std::uint16_t last) const {
  auto first = static_cast<std::size_t>(
      std::lower_bound(step.options.begin(), step.options.end(), last) - step.options.begin());
  std::size_t usual = first == step.options.size() ? 0 : first;
  std::size_t n = step.options.size();
  switch (bound_) {
    case ExplorationBound::kPreemptions:
      return step.options[usual] == last && option != usual ? 1 : 0;
    case ExplorationBound::kDelays: return static_cast<std::uint32_t>((option + n - usual) % n);
    default: return 0;
  }
}

SchedulingGraph::Choice SchedulingGraph::choice_of(const ExploredStep& step, std::uint16_t last,
                                                   std::uint32_t so_far) const {
  Choice choice;
  std::size_t n = step.options.size();
  auto from = std::lower_bound(step.options.begin(), step.options.end(), last);
  if (pick_ == Exploration::Rest::kLast) {
    from = std::upper_bound(step.options.begin(), step.options.end(), last);
  }
  auto begin = static_cast<std::size_t>(from - step.options.begin());
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t option =
        pick_ == Exploration::Rest::kLast ? (begin + n - 1 - i) % n : (begin + i) % n;
    if (step.options[option] == step.thread) {
      choice.chosen = i;
    }
    choice.node.alternatives.push_back({{step.options[option], step.option_checks[option]},
                                        0,
                                        so_far + cost(step, option, last),
                                        false,
                                        false,
                                        nullptr});
  }
  return choice;
}

std::vector<SchedulingGraph::Choice> SchedulingGraph::choices_of(const ExploredRun& run) const {
  std::vector<Choice> choices;
  std::uint16_t last = 0;
  std::uint32_t cost = 0;
  for (const ExploredStep& step : run.steps()) {
    choices.push_back(choice_of(step, last, cost));
    cost = choices.back().node.alternatives[choices.back().chosen].cost;
    last = step.thread;
    for (std::size_t i = 0; i < step.values.size(); ++i) {
      Choice of_world;
      of_world.node.of_world = true;
      of_world.chosen = step.values[i];
      for (std::uint32_t value = 0; value < step.bounds[i]; ++value) {
        of_world.node.alternatives.push_back({{}, value, cost, false, false, nullptr});
      }
      choices.push_back(std::move(of_world));
    }
  }
  return choices;
}

// Whether the run did what was planned.
bool SchedulingGraph::followed(const std::vector<Choice>& choices) const {
  std::size_t step = 0, value = 0;
  for (const Choice& c : choices) {
    const Node::Alternative& a = c.node.alternatives[c.chosen];
    if (c.node.of_world) {
      if (value < planned_.choices.size() && planned_.choices[value] != a.value) {
        return false;
      }
      ++value;
    } else {
      if (step < planned_.order.size() && planned_.order[step] != a.step) {
        return false;
      }
      ++step;
    }
  }
  return step >= planned_.order.size() && value >= planned_.choices.size();
}

bool SchedulingGraph::observe(const ExploredRun& run) {
  std::vector<Choice> choices = choices_of(run);
  if (!followed(choices)) {
    return false;
  }
  std::vector<Node*> path;
  Node* node = &root_;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Choice& c = choices[i];
    if (node->alternatives.empty()) {
      *node = std::move(c.node);
    } else if (node->alternatives.size() <= c.chosen || node->of_world != c.node.of_world ||
               node->alternatives.size() != c.node.alternatives.size()) {
      return false;  // the same choices led elsewhere before
    }
    path.push_back(node);
    Node::Alternative& a = node->alternatives[c.chosen];
    a.planned = false;
    if (a.explored) {
      return false;  // planned runs are new
    }
    if (i + 1 < choices.size()) {
      if (a.below == nullptr) {
        a.below = std::make_unique<Node>();
      }
      node = a.below.get();
    } else {
      a.explored = true;
    }
  }
  began_ = true;
  ++classes_;
  if (path.empty()) {
    root_.opens_at = kExplored;
  }
  for (std::size_t i = path.size(); i-- > 0;) {
    update(*path[i]);
  }
  return true;
}

void SchedulingGraph::update(Node& node) {
  node.opens_at = kExplored;
  for (Node::Alternative& a : node.alternatives) {
    if (a.below != nullptr && a.below->opens_at == kExplored) {
      a.below.reset();
      a.explored = true;
    }
    if (!a.explored) {
      node.opens_at = std::min(node.opens_at, a.below == nullptr ? a.cost : a.below->opens_at);
    }
  }
}

double SchedulingGraph::part(const Node& node) const {
  if (node.opens_at > most_) {
    return 1;
  }
  double done = 0, all = 0;
  for (const Node::Alternative& a : node.alternatives) {
    bool counts = a.explored || a.below != nullptr || a.cost <= most_;
    all += counts ? 1 : 0;
    done += a.explored ? 1 : a.below != nullptr ? part(*a.below) : 0;
  }
  return all > 0 ? done / all : 1;
}

}  // namespace rff
