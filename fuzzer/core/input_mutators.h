// Makes new inputs from known ones. Every function is pure: equal arguments, equal inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzzer/core/comparisons.h"
#include "schedule/hash.h"
#include "schedule/schedule_file.h"

namespace rff {

// What the comparisons at one place in code suggest.
struct PlaceHints {
  std::uint64_t place = 0;
  bool agreed = false;                         // some comparison had equal operands
  bool strings = false;                        // it compares strings
  std::vector<Substitution> substitutions;     // the likeliest first
  std::vector<std::string> words;              // operands that may belong anywhere
  std::weak_ptr<const Schedule> reached_by{};  // a schedule under which it was reached
};

// Places have equal chances: a parser compares often, and what is wanted may be compared once.
using InputHints = std::vector<PlaceHints>;

struct InputRules {
  std::size_t most = std::size_t{64} << 10;  // bytes
  bool text = false;                         // without zero bytes
  std::vector<std::string> dictionary = {};
};

struct Mutant {
  std::string bytes;
  // Set if it has what a comparison asks for that was reached under this schedule.
  std::shared_ptr<const Schedule> schedule{};
};

// Inserts a word. A number that is put beside another one stays apart from it.
void insert_word(std::string& input, std::size_t at, std::string word);

// Cuts the input to what the rules allow.
void fit(std::string& input, const InputRules& rules);

// Changes `parent` in one to a few places: bits, bytes and words, arithmetic, values at limits,
// parts inserted, deleted, copied or taken from `other`, words of the dictionary, numbers in text;
// or puts in what comparisons ask for, several at once. `hints` are those of the parent.
Mutant mutate_input(const std::string& parent, const std::string& other, const InputHints& hints,
                    const InputRules& rules, Random& random);

}  // namespace rff
