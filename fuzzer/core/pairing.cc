#include "fuzzer/core/pairing.h"

#include <algorithm>

#include "schedule/input_parts.h"

namespace rff {
namespace {

// After so many mutants that showed nothing new, inputs get the smaller share.
constexpr std::uint64_t kEnoughMutants = 2000;

FuzzPlan plan_for(const FuzzPlan& plan, std::size_t member) {
  FuzzPlan own = plan;
  own.seed = member == 0 ? own.seed : hash_combine(own.seed, member);
  return own;
}

}  // namespace

Pairing::Pairing(const FuzzPlan& plan, InputPlan inputs)
    : plan_(plan),
      given_(std::move(inputs)),
      // Between parts there are zero bytes.
      rules_{given_.most, given_.input.is_text() && parts_of(given_.input) == 0, given_.dictionary},
      random_(mix64(plan.seed ^ 0x706169727321ULL)),
      set_up_(plan) {
  if (given_.first.empty()) {
    given_.first.emplace_back();
  }
}

void Pairing::add_initial(const Schedule& schedule) {
  if (schedule.input.way == given_.input.way && schedule.input.name == given_.input.name) {
    initial_.push_back(schedule);
  }
}

void Pairing::add_points(std::span<const std::uint64_t> sites) {
  points_.insert(points_.end(), sites.begin(), sites.end());
  for (Search& s : searches_) {
    if (s.core) {
      s.core->add_points(sites);
    }
  }
}

Schedule Pairing::with(const std::string& bytes, Schedule schedule) const {
  schedule.input = given_.input;
  schedule.input.bytes = bytes;
  return schedule;
}

Schedule Pairing::plain_schedule(std::uint32_t points_version) {
  Schedule s;
  s.scheduler = plan_.search.scheduler;
  s.seed = given_.fuzzes_schedules ? random_.next() : plan_.seed;
  set_up_.set_up(s, points_version);
  return s;
}

FuzzCore& Pairing::core_of(std::size_t member) {
  Search& s = searches_[member];
  s.last_used = ++turn_;
  if (!s.core) {
    auto live = [](const Search& other) { return other.core != nullptr; };
    if (static_cast<std::size_t>(std::count_if(searches_.begin(), searches_.end(), live)) >=
        kMostSearches) {
      auto oldest = std::min_element(
          searches_.begin(), searches_.end(), [&](const Search& a, const Search& b) {
            return std::pair(!live(a), a.last_used) < std::pair(!live(b), b.last_used);
          });
      oldest->core.reset();
    }
    s.core = std::make_unique<FuzzCore>(plan_for(plan_, member));
    s.core->add_points(points_);
  }
  return *s.core;
}

std::optional<std::size_t> Pairing::join(const Schedule& schedule) {
  std::optional<std::size_t> member = inputs_.add(schedule);
  if (member) {
    searches_.emplace_back();
    mutants_since_join_ = 0;
  }
  return member;
}

Schedule Pairing::search(std::size_t member, std::uint32_t points_version) {
  ++searches_[member].schedules;
  return with(inputs_.members()[member].bytes, core_of(member).next_schedule(points_version));
}

Schedule Pairing::try_input(std::uint32_t points_version) {
  ++mutants_since_join_;
  std::optional<Mutant> asked = inputs_.take_asked();
  Mutant mutant = asked ? std::move(*asked) : inputs_.mutate(rules_, random_);
  fit(mutant.bytes, rules_);
  // What a comparison asks for matters where it was made: the order that led there leads there
  // again.
  if (mutant.schedule != nullptr && given_.fuzzes_schedules && (asked || random_.chance(1, 2))) {
    return with(mutant.bytes, *mutant.schedule);
  }
  return with(mutant.bytes, plain_schedule(points_version));
}

bool Pairing::mutates_now() {
  if (!given_.fuzzes_inputs || !given_.fuzzes_schedules) {
    return given_.fuzzes_inputs;
  }
  return mutants_since_join_ < kEnoughMutants ? random_.chance(1, 2) : random_.chance(1, 5);
}

// Every other time the member with the fewest schedules, else one of those that still show new
// reads-from pairs more often.
std::size_t Pairing::choose_member() {
  auto cost = [&](std::size_t i) {
    const Search& s = searches_[i];
    return static_cast<double>(s.schedules) / static_cast<double>(1 + s.news);
  };
  bool by_number = random_.chance(1, 2);
  std::size_t best = 0;
  for (std::size_t i = 1; i < searches_.size(); ++i) {
    bool better =
        by_number ? searches_[i].schedules < searches_[best].schedules : cost(i) < cost(best);
    best = better ? i : best;
  }
  return best;
}

Schedule Pairing::next_schedule(std::uint32_t points_version) {
  if (!initial_.empty()) {
    Schedule s = std::move(initial_.front());
    initial_.pop_front();
    Schedule own = plain_schedule(points_version);
    own.constraints = std::move(s.constraints);
    own.seed = s.seed;
    return with(s.input.bytes, std::move(own));
  }
  if (next_first_ < given_.first.size() &&
      (given_.fuzzes_inputs || next_first_ == 0 || inputs_.members().empty())) {
    return with(given_.first[next_first_++], plain_schedule(points_version));
  }
  if (inputs_.members().empty()) {
    // No run of a first input was usable so far.
    std::string any = mutate_input(given_.first[0], "", {}, rules_, random_).bytes;
    return with(any, plain_schedule(points_version));
  }
  if (burst_ > 0 && given_.fuzzes_schedules) {
    --burst_;
    return search(burst_of_, points_version);
  }
  return mutates_now() ? try_input(points_version) : search(choose_member(), points_version);
}

FuzzCore::Verdict Pairing::report(const Schedule& schedule, const RunSummary& run,
                                  const InputTraits& traits) {
  if ((run.flags & kDiscarded) != 0) {
    ++discarded_;
    if (std::optional<std::size_t> member = inputs_.find(schedule.input.bytes)) {
      return core_of(*member).report(schedule, run);
    }
    return {};
  }
  std::optional<std::size_t> member = inputs_.find(schedule.input.bytes);
  if (!run.usable()) {
    return member ? core_of(*member).report(schedule, run) : FuzzCore::Verdict{};
  }
  const bool news = inputs_.shows_new(traits);
  const bool nearer = inputs_.comes_nearer(traits);
  const bool word = inputs_.is_compared_word(schedule.input.bytes);
  bool joined = false;
  if (!member && (news || nearer || word || inputs_.members().empty()) && !run.failed()) {
    member = join(schedule);
    joined = member.has_value();
    if (joined && news) {
      burst_of_ = *member;
      burst_ = kBurst;
    }
  }
  if (!member) {
    return {};
  }
  // What only some schedules reach is new control flow when one does.
  if (searches_[*member].reports++ < kLearningRuns || news) {
    inputs_.learn(*member, traits.hints(), schedule);
  }
  FuzzCore::Verdict verdict = core_of(*member).report(schedule, run);
  searches_[*member].news += verdict.new_pairs > 0 ? 1 : 0;
  verdict.joined |= joined;
  return verdict;
}

}  // namespace rff
