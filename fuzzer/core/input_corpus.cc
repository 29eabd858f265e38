#include "fuzzer/core/input_corpus.h"

#include <algorithm>

namespace rff {

bool InputCorpus::shows_new(std::span<const std::uint64_t> flow) {
  bool any = false;
  for (std::uint64_t id : flow) {
    any |= flow_.insert(id).second;
  }
  return any;
}

std::optional<std::size_t> InputCorpus::find(const std::string& bytes) const {
  auto at = by_bytes_.find(bytes);
  return at == by_bytes_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> InputCorpus::add(const Schedule& schedule) {
  const std::string& bytes = schedule.input.bytes;
  if (members_.size() >= kMostMembers || !by_bytes_.emplace(bytes, members_.size()).second) {
    return std::nullopt;
  }
  InputMember& member = members_.emplace_back();
  member.bytes = bytes;
  member.first = schedule;
  return members_.size() - 1;
}

void InputCorpus::learn(std::size_t index, const InputHints& hints, const Schedule& schedule) {
  auto add = [&](auto& known, const auto& more) {
    for (const auto& hint : more) {
      if (known.size() < kMostHints && std::find(known.begin(), known.end(), hint) == known.end()) {
        known.push_back(hint);
        ++hints_;
      }
    }
  };
  InputHints& known = members_[index].hints;
  std::shared_ptr<const Schedule> reached_by;
  for (const PlaceHints& more : hints) {
    auto at = std::find_if(known.begin(), known.end(),
                           [&](const PlaceHints& p) { return p.place == more.place; });
    if (at == known.end()) {
      if (known.size() >= kMostPlaces) {
        continue;
      }
      at = known.insert(at, PlaceHints{.place = more.place});
      if (reached_by == nullptr) {
        reached_by = std::make_shared<const Schedule>(schedule);
        reaching_.push_back(reached_by);
      }
      at->reached_by = reached_by;
    }
    at->agreed |= more.agreed;
    add(at->substitutions, more.substitutions);
    add(at->words, more.words);
  }
  while (reaching_.size() > kMostSchedules) {
    reaching_.pop_front();
  }
}

// The one with the fewest mutants of a few: new members have their turn at once.
std::size_t InputCorpus::choose_parent(Random& random) const {
  constexpr int kCandidates = 3;
  std::size_t best = random.below(members_.size());
  for (int i = 1; i < kCandidates; ++i) {
    std::size_t other = random.below(members_.size());
    best = members_[other].mutants < members_[best].mutants ? other : best;
  }
  return best;
}

Mutant InputCorpus::mutate(const InputRules& rules, Random& random) {
  InputMember& parent = members_[choose_parent(random)];
  const InputMember& other = members_[random.below(members_.size())];
  ++parent.mutants;
  return mutate_input(parent.bytes, other.bytes, parent.hints, rules, random);
}

}  // namespace rff
