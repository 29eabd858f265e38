#include "fuzzer/systematic/reads_from_path.h"

#include <algorithm>
#include <numeric>

#include "fuzzer/systematic/linearization.h"

namespace rff {
namespace {

constexpr std::size_t kNever = ~std::size_t{0};

// Whether an operation would wait if it read from that step.
bool waits_after(const ExploredStep& operation, const ExploredStep& writer) {
  return operation.op == OpKind::kLock && operation.may_wait && writer.op == OpKind::kLock &&
         operation.thread != writer.thread;
}

}  // namespace

ReadsFromPath::ReadsFromPath(std::vector<PathNode>& path, const ExploredRun& run,
                             const ReadsFrom& reads_from)
    : path_(path), run_(run), reads_from_(reads_from) {
  made_at_.assign(reads_from.all(), kNever);
  std::map<std::uint16_t, std::uint32_t> made;
  for (std::size_t j = 0; j < reads_from.all(); ++j) {
    std::uint16_t thread = reads_from.step(j).thread;
    names_.push_back({thread, made[thread]++});
    threads_[thread].steps.push_back(j);
  }
}

bool ReadsFromPath::derive() {
  for (;;) {
    if (!make_writes()) {
      return false;
    }
    auto next = std::find_if(threads_.begin(), threads_.end(),
                             [&](auto& entry) { return can_decide(entry.second); });
    if (next == threads_.end()) {
      return true;
    }
    if (!decide(next->second)) {
      return false;
    }
    if (postponed_) {
      return true;
    }
  }
}

void ReadsFromPath::add_deferrals() {
  for (const Decided& d : decisions_) {
    if (d.reads) {
      add_deferral(d, path_[d.node]);
    }
  }
  if (run_.steps().empty() || !run_.steps().back().ends_process || run_.pending().empty()) {
    return;
  }
  // Others might have failed instead.
  std::size_t last = run_.steps().size() - 1;
  for (const Decided& d : decisions_) {
    PathNode& node = path_[d.node];
    if (d.reads && d.step == last) {
      node.add_deferral(node.defer);
    }
  }
  if (!reads_from_.reads(last)) {
    problem_ = "a failure where nothing is read";
  }
}

void ReadsFromPath::make(ThreadState& t, std::size_t j) {
  made_at_[j] = made_.size();
  made_.push_back(j);
  is_made_.insert(j);
  ++t.next;
  t.deferred = false;
}

std::size_t ReadsFromPath::next_of(const ThreadState& t) const {
  return t.next < t.steps.size() ? t.steps[t.next] : kNever;
}

bool ReadsFromPath::make_writes() {
  for (bool again = true; again;) {
    again = false;
    for (auto& [number, t] : threads_) {
      for (std::size_t j = next_of(t);
           j < reads_from_.executed() && !reads_from_.reads(j) && available(j); j = next_of(t)) {
        make(t, j);
        if (!choose_values(j)) {
          return false;
        }
        again = true;
      }
    }
  }
  return true;
}

bool ReadsFromPath::is_candidate(const ThreadState& t, std::size_t writer, std::size_t j) const {
  return made_at_[writer] != kNever && made_at_[writer] >= (t.deferred ? t.offered : 0) &&
         reads_from_.wrote(writer, j);
}

bool ReadsFromPath::can_decide(const ThreadState& t) const {
  std::size_t j = next_of(t);
  if (j == kNever || !reads_from_.reads(j) || !available(j)) {
    return false;
  }
  return !t.deferred ||
         std::any_of(made_.begin() + static_cast<std::ptrdiff_t>(t.offered), made_.end(),
                     [&](std::size_t i) { return reads_from_.wrote(i, j); });
}

PathChoice ReadsFromPath::choice_of(const ThreadState& t, std::size_t j) const {
  PathChoice choice;
  if (j >= reads_from_.executed()) {
    return choice;
  }
  std::size_t writer = reads_from_.writer(j);
  if (writer == ReadsFrom::kInitial) {
    choice.kind = t.deferred ? PathChoice::Kind::kDefer : PathChoice::Kind::kInitial;
  } else if (is_candidate(t, writer, j)) {
    choice.kind = PathChoice::Kind::kWriter;
    choice.writer = names_[writer];
  }
  return choice;
}

bool ReadsFromPath::decide(ThreadState& t) {
  std::size_t j = next_of(t);
  PathChoice choice = choice_of(t, j);
  std::size_t depth = depth_++;
  if (depth < path_.size()) {
    PathNode& node = path_[depth];
    // A deferred step may have come to its turn in the end, when nothing else was left.
    if (node.choice.kind == PathChoice::Kind::kDefer) {
      choice = node.choice;
    }
    if (node.step != names_[j] || node.choice != choice) {
      return false;
    }
  } else {
    add_node(t, j, choice);
    if (postponed_) {
      return true;
    }
  }
  bool reads = choice.kind != PathChoice::Kind::kDefer;
  decisions_.push_back({depth, j, made_.size(), reads, deferred_threads(j)});
  if (reads) {
    make(t, j);
    return choose_values(j);
  }
  t.deferred = true;
  t.offered = made_.size();
  t.node = depth;
  return true;
}

bool ReadsFromPath::choose_values(std::size_t j) {
  const ExploredStep& step = reads_from_.step(j);
  if (step.values.empty()) {
    return true;
  }
  PathChoice choice = {PathChoice::Kind::kWorld, {}, step.values};
  std::size_t depth = depth_++;
  bool is_new = depth >= path_.size();
  if (is_new) {
    path_.push_back({names_[j], choice, {}, true, {}, {}, 0});
  }
  PathNode& node = path_[depth];
  bool planned =
      node.choice.values.size() <= step.values.size() &&
      std::equal(node.choice.values.begin(), node.choice.values.end(), step.values.begin());
  if (node.step != names_[j] || node.choice.kind != PathChoice::Kind::kWorld || !planned) {
    return false;
  }
  if (is_new || node.choice.values.size() < step.values.size() || depth + 1 == path_.size()) {
    node.choice = choice;
    add_next_values(node, j);
  }
  return true;
}

void ReadsFromPath::add_next_values(PathNode& node, std::size_t j) {
  const ExploredStep& step = reads_from_.step(j);
  std::size_t i = step.values.size();
  while (i > 0 && step.values[i - 1] + 1 >= step.bounds[i - 1]) {
    --i;
  }
  if (i == 0 || !node.alternatives.empty()) {
    return;
  }
  std::vector<std::uint32_t> values(step.values.begin(),
                                    step.values.begin() + static_cast<std::ptrdiff_t>(i));
  ++values.back();
  // Nothing made so far depends on the step.
  Bits others = is_made_;
  others.erase(j);
  Exploration plan = plan_of(in_order_of_run(others));
  plan.order.push_back({step.thread, step.check});
  plan.choices.insert(plan.choices.end(), values.begin(), values.end());
  plan.asleep = deferred_threads(j);
  node.alternatives.push_back({{PathChoice::Kind::kWorld, {}, values}, std::move(plan)});
}

void ReadsFromPath::add_node(const ThreadState& t, std::size_t j, const PathChoice& choice) {
  PathNode node = {names_[j], choice, {}, choice.kind == PathChoice::Kind::kDefer, {}, {}, 0};
  std::vector<std::uint16_t> asleep = deferred_threads(j);
  auto add = [&](std::size_t writer, PathChoice other) {
    if (other != choice) {
      add_alternative(node, j, writer, std::move(other), asleep);
    }
  };
  if (!t.deferred) {
    add(ReadsFrom::kInitial, {PathChoice::Kind::kInitial, {}, {}});
  }
  for (std::size_t i : made_) {
    if (is_candidate(t, i, j)) {
      add(i, {PathChoice::Kind::kWriter, names_[i], {}});
    }
  }
  node.defer = {{}, plan_of(in_order_of_run(is_made_))};
  node.defer.plan.asleep = asleep;
  node.defer.plan.asleep.push_back(names_[j].thread);
  if (t.deferred) {
    inherit_rivals(node, path_[t.node]);
  }
  if (choice.kind == PathChoice::Kind::kDefer && !node.alternatives.empty()) {
    postponed_ = true;
    node.defer_known = false;
    std::vector<std::size_t> all(reads_from_.executed());
    std::iota(all.begin(), all.end(), std::size_t{0});
    node.add_deferral({choice, plan_of(all)});
  }
  path_.push_back(std::move(node));
}

void ReadsFromPath::inherit_rivals(PathNode& node, const PathNode& deferred) {
  for (const StepName& rival : deferred.rivals) {
    const ThreadState& t = threads_[rival.thread];
    if (rival.ordinal >= t.next) {
      node.rivals.insert(rival);
      if (rival.ordinal > t.next || !t.deferred || can_decide(t)) {
        node.add_deferral(node.defer);
      }
    }
  }
}

// Whether step j cannot read from the writer: another write lies between in any order, or another
// step has replaced what it would replace. Linearization would find that, too.
bool ReadsFromPath::is_hidden(std::size_t writer, std::size_t j) const {
  const ExploredStep& step = reads_from_.step(j);
  bool replaces = step.touches[0].object || (step.may_write && !step.may_fail);
  for (std::size_t i : reads_from_.writers_of(j)) {
    if (i == writer || i == j || made_at_[i] == kNever) {
      continue;
    }
    bool after = writer == ReadsFrom::kInitial || reads_from_.past(i).contains(writer);
    if (after && (reads_from_.own_past(j).contains(i) ||
                  (replaces && reads_from_.reads(i) && reads_from_.wrote(i, i) &&
                   reads_from_.writer(i) == writer))) {
      return true;
    }
  }
  return false;
}

void ReadsFromPath::add_alternative(PathNode& node, std::size_t j, std::size_t writer,
                                    PathChoice choice, const std::vector<std::uint16_t>& asleep) {
  const ExploredStep& step = reads_from_.step(j);
  if (is_hidden(writer, j) ||
      (writer != ReadsFrom::kInitial && waits_after(step, reads_from_.step(writer)))) {
    return;
  }
  std::vector<std::size_t> set = in_order_of_run(is_made_);
  bool object = step.touches[0].object;  // which counts as written always
  bool may_write = step.may_write || object;
  bool may_not = !object && (step.may_fail || !step.may_write);
  for (bool as_writer : {true, false}) {
    if (as_writer ? !may_write : !may_not) {
      continue;
    }
    Linearization order(reads_from_, set, j, writer, as_writer);
    std::optional<std::vector<std::size_t>> found = order.find();
    if (order.gave_up()) {
      problem_ = "an order that is hard to find";
    }
    if (found) {
      PathAlternative alternative = {std::move(choice), plan_of(*found)};
      alternative.plan.asleep = asleep;
      node.alternatives.push_back(std::move(alternative));
      return;
    }
  }
}

void ReadsFromPath::add_deferral(const Decided& d, PathNode& node) {
  std::uint16_t thread = names_[d.step].thread;
  std::size_t writer =
      d.step < reads_from_.executed() ? reads_from_.writer(d.step) : ReadsFrom::kInitial;
  for (std::size_t e = 0; e < reads_from_.all(); ++e) {
    const Bits& needed = reads_from_.own_past(e);
    if (names_[e].thread == thread || made_at_[e] < d.made || node.rivals.contains(names_[e]) ||
        !reads_from_.may_write(e, d.step) || needed.contains(d.step) ||
        !is_made_.contains(needed)) {
      continue;
    }
    node.rivals.insert(names_[e]);
    if (is_deferred_then(e, d) || (writer != ReadsFrom::kInitial &&
                                   waits_after(reads_from_.step(e), reads_from_.step(writer)))) {
      continue;
    }
    Bits set = needed;
    for (std::size_t i = 0; i < d.made; ++i) {
      set.insert(made_[i]);
    }
    std::vector<std::size_t> order = in_order_of_run(set);
    order.push_back(e);
    PathAlternative alternative = {{}, plan_of(order)};
    alternative.plan.asleep.push_back(thread);
    for (std::uint16_t t : d.deferred) {
      if (!passed(t, set, d)) {
        alternative.plan.asleep.push_back(t);
      }
    }
    node.add_deferral(std::move(alternative));
  }
}

bool ReadsFromPath::is_deferred_then(std::size_t e, const Decided& d) const {
  const std::vector<std::size_t>& steps = threads_.at(names_[e].thread).steps;
  std::uint32_t ordinal = names_[e].ordinal;
  bool next = ordinal == 0 || made_at_[steps[ordinal - 1]] < d.made;
  return next &&
         std::find(d.deferred.begin(), d.deferred.end(), names_[e].thread) != d.deferred.end();
}

bool ReadsFromPath::passed(std::uint16_t t, const Bits& set, const Decided& d) const {
  for (std::size_t j : threads_.at(t).steps) {
    if (made_at_[j] >= d.made) {
      return set.contains(j);
    }
  }
  return false;
}

std::vector<std::uint16_t> ReadsFromPath::deferred_threads(std::size_t deciding) const {
  std::vector<std::uint16_t> threads;
  for (const auto& [number, t] : threads_) {
    if (t.deferred && number != names_[deciding].thread && !can_decide(t)) {
      threads.push_back(number);
    }
  }
  return threads;
}

std::vector<std::size_t> ReadsFromPath::in_order_of_run(const Bits& set) const {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < reads_from_.executed(); ++j) {
    if (set.contains(j)) {
      order.push_back(j);
    }
  }
  return order;
}

Exploration ReadsFromPath::plan_of(const std::vector<std::size_t>& order) const {
  Exploration plan;
  for (std::size_t j : order) {
    const ExploredStep& step = reads_from_.step(j);
    plan.order.push_back({step.thread, step.check});
    plan.choices.insert(plan.choices.end(), step.values.begin(), step.values.end());
  }
  return plan;
}

}  // namespace rff
