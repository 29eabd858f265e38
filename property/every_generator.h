// One generator made of all others, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rff/property.h"

namespace rff::test {

struct Tree {
  int label = 0;
  std::vector<Tree> below;
};

inline std::size_t depth_of(const Tree& tree) {
  std::size_t deepest = 0;
  for (const Tree& t : tree.below) {
    deepest = std::max(deepest, depth_of(t));
  }
  return deepest + 1;
}

inline Generator<Tree> trees() {
  auto leaf = struct_of<Tree>(arbitrary<int>());
  return recursive(leaf, [](const Generator<Tree>& tree) {
    return struct_of<Tree>(in_range(0, 9), vector_of(tree));
  });
}

// A value of every generator.
inline auto every_generator() {
  return tuple_of(arbitrary<long>(), arbitrary<double>(), arbitrary<std::vector<unsigned char>>(),
                  arbitrary<std::vector<std::vector<std::string>>>(),
                  arbitrary<std::map<short, std::optional<char>>>(),
                  arbitrary<std::unordered_map<int, std::pair<bool, float>>>(),
                  one_of(in_range(-70000, 3), element_of({100, 200})),
                  flat_map(in_range(0, 300), [](int n) { return in_range(-n, n); }),
                  string_of(in_range('a', 'f')), rff::map(trees(), depth_of));
}

}  // namespace rff::test
