#include "fuzzer/core/input_corpus.h"

#include <algorithm>

namespace rff {

bool InputCorpus::shows_new(const InputTraits& traits) {
  agrees_anew_ = agreements_.shows_new(traits.agreed);
  bool any = agrees_anew_;
  for (std::uint64_t id : traits.flow) {
    any |= flow_.insert(id).second;
  }
  return any;
}

// The first difference at a place tells nothing, and neither does a large one that is hardly less.
bool InputCorpus::comes_nearer(const InputTraits& traits) {
  bool any = false;
  for (const Nearness& n : traits.near) {
    auto [at, fresh] = nearest_.try_emplace(n.place, n.difference);
    if (n.difference < at->second - at->second / 64 && n.difference < kFarthest) {
      at->second = n.difference;
      any |= !fresh;
    }
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
  const bool first = known.empty();
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
    at->strings |= more.strings;
    add(at->substitutions, more.substitutions);
    add(at->words, more.words);
    if (places_.insert(at->place).second) {
      ask_alone(members_[index].bytes, *at);
    } else if (first && agrees_anew_ && !at->agreed) {
      ask_beside(members_[index].bytes, *at);
    }
  }
  while (reaching_.size() > kMostSchedules) {
    reaching_.pop_front();
  }
}

void InputCorpus::ask(std::string wanted, const PlaceHints& place) {
  if (by_bytes_.count(wanted) == 0) {
    asked_.push_back({std::move(wanted), place.reached_by.lock()});
  }
  if (asked_.size() > kMostAsked) {
    asked_.pop_front();
  }
}

void InputCorpus::ask_alone(const std::string& bytes, const PlaceHints& place) {
  for (std::size_t i = 0; i < std::min(place.substitutions.size(), kAskedOfAPlace); ++i) {
    ask(rff::apply(place.substitutions[i], bytes), place);
  }
  for (std::size_t i = 0; i < std::min(place.words.size(), kAskedOfAPlace); ++i) {
    if (place.strings && !place.agreed && words_.size() < kMostWords) {
      words_.insert(place.words[i]);
    }
    ask(place.words[i], place);
  }
}

void InputCorpus::ask_beside(const std::string& bytes, const PlaceHints& place) {
  for (std::size_t i = 0; i < std::min(place.words.size(), kAskedOfAPlace); ++i) {
    for (std::size_t at : {std::size_t{0}, bytes.size()}) {
      std::string wanted = bytes;
      insert_word(wanted, at, place.words[i]);
      ask(std::move(wanted), place);
    }
  }
}

std::optional<Mutant> InputCorpus::take_asked() {
  if (asked_.empty()) {
    return std::nullopt;
  }
  Mutant mutant = std::move(asked_.front());
  asked_.pop_front();
  return mutant;
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
