// The inputs that showed control flow that no earlier one had shown, and which control flow that
// is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/agreements.h"
#include "fuzzer/core/input_mutators.h"
#include "schedule/schedule_file.h"

namespace rff {

// The least difference between the operands of a place's comparisons: between values, or the number
// of different bytes of strings.
struct Nearness {
  std::uint64_t place = 0;
  std::uint64_t difference = 0;
};

// A run shows this of its input.
struct InputTraits {
  std::vector<std::uint64_t> flow;    // ids of edges with their counts, or of events
  std::vector<std::uint64_t> agreed;  // places of comparisons with equal operands
  std::vector<Nearness> near = {};
  std::function<InputHints()> hints = [] { return InputHints{}; };  // takes time to find
};

struct InputMember {
  std::string bytes;
  Schedule first;  // the schedule under which it showed what was new
  InputHints hints;
  std::uint64_t mutants = 0;
};

class InputCorpus {
 public:
  static constexpr std::size_t kMostMembers = 4096;
  static constexpr std::size_t kMostPlaces = 256;     // of comparisons, for one member
  static constexpr std::size_t kMostHints = 64;       // of each kind, for one place
  static constexpr std::size_t kMostSchedules = 256;  // that reached places; the oldest is dropped
  static constexpr std::size_t kMostAsked = 256;
  static constexpr std::size_t kAskedOfAPlace = 4;  // of each kind of hint
  static constexpr std::size_t kMostWords = 32;
  static constexpr std::uint64_t kFarthest = 1 << 16;  // a difference that counts

  // Whether some of it is in no run so far. Remembers all of it.
  bool shows_new(const InputTraits& traits);
  // Whether some comparison came nearer to equality than in all runs so far. Remembers all of it.
  bool comes_nearer(const InputTraits& traits);
  // Whether the input is a string that was compared, and that was asked for. Which order makes it
  // equal to the other string may take many runs to find.
  bool is_compared_word(const std::string& bytes) const { return words_.count(bytes) != 0; }
  // Adds a member. Returns its index, or nothing if the bytes are there or the corpus is full.
  std::optional<std::size_t> add(const Schedule& schedule);
  std::optional<std::size_t> find(const std::string& bytes) const;
  // Adds to what a member may be changed by. A run under `schedule` showed it.
  void learn(std::size_t index, const InputHints& hints, const Schedule& schedule);

  // Returns what a comparison asks for at a place that no run had reached before, or what a member
  // with a new set of agreements lacks, as long as there is something left. What only some
  // schedules reach is asked for under one of them.
  std::optional<Mutant> take_asked();
  // Makes a new input from a member: often one that was changed seldom.
  Mutant mutate(const InputRules& rules, Random& random);

  const std::vector<InputMember>& members() const { return members_; }
  std::size_t flow() const { return flow_.size(); }
  std::size_t hints() const { return hints_; }  // of all members

 private:
  std::size_t choose_parent(Random& random) const;
  void ask(std::string wanted, const PlaceHints& place);
  void ask_alone(const std::string& bytes, const PlaceHints& place);
  void ask_beside(const std::string& bytes, const PlaceHints& place);

  std::vector<InputMember> members_;
  std::unordered_map<std::string, std::size_t> by_bytes_;
  std::unordered_set<std::uint64_t> flow_;
  Agreements agreements_;
  std::unordered_map<std::uint64_t, std::uint64_t> nearest_;  // place -> least difference
  bool agrees_anew_ = false;                  // the last run whose traits were shown
  std::unordered_set<std::uint64_t> places_;  // that runs have reached
  std::deque<Mutant> asked_;
  std::unordered_set<std::string> words_;  // compared strings that were asked for
  std::size_t hints_ = 0;
  std::deque<std::shared_ptr<const Schedule>> reaching_;
};

}  // namespace rff
