// Which processors an afl-fuzz and its fork server may have for themselves. The two take turns: on
// one processor each finds the other's work in its caches, and nobody has to be woken elsewhere.
#pragma once

#include <string>
#include <vector>

namespace rff {

// Those of `allowed` to which no process is bound alone, as `processes` (/proc) tells, from `first`
// on: campaigns that start at the same time begin their search at different ones.
std::vector<int> free_processors(const std::string& processes, const std::vector<int>& allowed,
                                 int first);
// Of this machine, as far as this process may use it.
std::vector<int> free_processors();

}  // namespace rff
