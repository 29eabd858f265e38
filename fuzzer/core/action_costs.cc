#include "fuzzer/core/action_costs.h"

#include <algorithm>
#include <unordered_set>

namespace rff {
namespace {

std::uint64_t choice_of(std::uint64_t state, std::uint64_t action) {
  return LearnedValue::make(state, action, 0).choice();
}

// Calls visit(options, begin of the next choice) for the options of each choice, in order.
template <typename Visit>
void for_each_choice(std::span<const ConsideredAction> considered, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < considered.size(); begin = end) {
    while (end < considered.size() && considered[end].choice == considered[begin].choice) {
      ++end;
    }
    visit(considered.subspan(begin, end - begin), end);
  }
}

}  // namespace

void ActionCosts::learn(std::span<const ConsideredAction> considered) {
  for_each_choice(considered, [&](std::span<const ConsideredAction> options, std::size_t) {
    visit(options[0].state, options);
  });
  for_each_choice(considered, [&](std::span<const ConsideredAction> options, std::size_t end) {
    auto chosen = std::find_if(options.begin(), options.end(),
                               [](const ConsideredAction& a) { return a.chosen(); });
    if (chosen == options.end()) {
      return;
    }
    // At the end of the run there is nothing more to pay.
    std::uint64_t next = end < considered.size() ? cheapest(considered[end].state) : 0;
    std::uint64_t target = LearnedValue::kOne + next * kDiscount / kTenths;
    std::uint64_t before = cost(chosen->state, chosen->action);
    set_cost(chosen->state, chosen->action,
             (before * (kTenths - kRate) + target * kRate) / kTenths);
  });
  merge_new_values();
  forget_oldest();
}

void ActionCosts::visit(std::uint64_t state, std::span<const ConsideredAction> options) {
  Visited& visited = states_[state];
  for (const ConsideredAction& option : options) {
    if (std::find(visited.actions.begin(), visited.actions.end(), option.action) ==
        visited.actions.end()) {
      visited.actions.push_back(option.action);
      ++actions_;
    }
  }
  visited.visit = ++visits_;
  in_order_.push_back({state, visits_});
}

std::uint32_t ActionCosts::cheapest(std::uint64_t state) const {
  std::uint32_t least = UINT32_MAX;
  for (std::uint64_t action : states_.at(state).actions) {
    least = std::min(least, cost(state, action));
  }
  return least;
}

std::uint32_t ActionCosts::cost(std::uint64_t state, std::uint64_t action) const {
  std::uint64_t choice = choice_of(state, action);
  if (auto fresh = new_values_.find(choice); fresh != new_values_.end()) {
    return fresh->second;
  }
  auto it = std::lower_bound(values_.begin(), values_.end(), LearnedValue{choice});
  return it != values_.end() && it->choice() == choice ? it->cost() : 0;
}

void ActionCosts::set_cost(std::uint64_t state, std::uint64_t action, std::uint64_t cost) {
  std::uint64_t choice = choice_of(state, action);
  auto it = std::lower_bound(values_.begin(), values_.end(), LearnedValue{choice});
  if (it != values_.end() && it->choice() == choice) {
    it->packed = choice | cost;
  } else {
    new_values_[choice] = static_cast<std::uint32_t>(cost);
  }
}

void ActionCosts::merge_new_values() {
  auto middle = static_cast<std::ptrdiff_t>(values_.size());
  for (const auto& [choice, cost] : new_values_) {
    values_.push_back({choice | cost});
  }
  std::sort(values_.begin() + middle, values_.end());
  std::inplace_merge(values_.begin(), values_.begin() + middle, values_.end());
  new_values_.clear();
}

void ActionCosts::forget_oldest() {
  auto is_latest = [&](const Visit& v) {
    auto it = states_.find(v.state);
    return it != states_.end() && it->second.visit == v.number;
  };
  std::unordered_set<std::uint64_t> forgotten;
  while (actions_ > most_actions_) {
    if (is_latest(in_order_.front())) {
      auto it = states_.find(in_order_.front().state);
      for (std::uint64_t action : it->second.actions) {
        forgotten.insert(choice_of(it->first, action));
      }
      actions_ -= it->second.actions.size();
      states_.erase(it);
    }
    in_order_.pop_front();
  }
  if (!forgotten.empty()) {
    std::erase_if(values_, [&](const LearnedValue& v) { return forgotten.contains(v.choice()); });
  }
  if (in_order_.size() > 2 * states_.size()) {
    std::erase_if(in_order_, [&](const Visit& v) { return !is_latest(v); });
  }
}

}  // namespace rff
