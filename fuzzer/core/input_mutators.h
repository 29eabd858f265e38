// Makes new inputs from known ones. Every function is pure: equal arguments, equal inputs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzzer/core/comparisons.h"
#include "schedule/hash.h"

namespace rff {

// The comparisons of a run suggest these changes.
struct InputHints {
  std::vector<Substitution> substitutions;
  std::vector<std::string> words;  // operands that may belong anywhere
};

struct InputRules {
  std::size_t most = std::size_t{64} << 10;  // bytes
  bool text = false;                         // without zero bytes
  std::vector<std::string> dictionary = {};
};

// Changes `parent` in one to a few places: bits, bytes and words, arithmetic, values at limits,
// parts inserted, deleted, copied or taken from `other`, words of the dictionary, numbers in text.
// `hints` are those of the parent.
std::string mutate_input(const std::string& parent, const std::string& other,
                         const InputHints& hints, const InputRules& rules, Random& random);

}  // namespace rff
