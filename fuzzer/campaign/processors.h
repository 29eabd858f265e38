// Finds free processors. An afl-fuzz and its fork server run in turns; on one processor they share
// its caches, and waking the other one is cheap.
#pragma once

#include <string>
#include <vector>

namespace rff {

// Returns the processors of `allowed` to which no process in `processes` (/proc) is bound. The list
// starts at `first`, so that campaigns that start at the same time begin at different processors.
std::vector<int> free_processors(const std::string& processes, const std::vector<int>& allowed,
                                 int first);
// Returns the free processors of this machine that this process may use.
std::vector<int> free_processors();

}  // namespace rff
