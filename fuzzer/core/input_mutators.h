// Makes new inputs from known ones. Every function is pure: equal arguments, equal inputs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "schedule/hash.h"

namespace rff {

// A change of an input that a comparison of a run suggests: the bytes at `at`, `length` of them,
// are one operand; `bytes` are the other one.
struct Substitution {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string bytes;
  bool operator==(const Substitution&) const = default;
};

// What the comparisons of a run suggest.
struct InputHints {
  std::vector<Substitution> substitutions;
  std::vector<std::string> words;  // operands that may belong anywhere
};

struct InputRules {
  std::size_t most = std::size_t{64} << 10;  // bytes
  bool text = false;                         // without zero bytes
  std::vector<std::string> dictionary = {};
};

// Applies a substitution. Requires that it lies in the input.
std::string substituted(std::string input, const Substitution& s);

// Changes `parent` in one to a few places: bits, bytes and words, arithmetic, values at limits,
// parts inserted, deleted, copied or taken from `other`, words of the dictionary, numbers in text.
// `hints` are those of the parent.
std::string mutate_input(const std::string& parent, const std::string& other,
                         const InputHints& hints, const InputRules& rules, Random& random);

}  // namespace rff
