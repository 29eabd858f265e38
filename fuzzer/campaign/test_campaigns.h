// Each test of a program on its own: a campaign, a folder and a line in the summary for each.
#pragma once

#include <functional>
#include <string>

#include "fuzzer/campaign/options.h"

namespace rff {

// Runs campaigns for the tests that the options choose, in processes of their own, which call
// `campaign`. Returns the exit status: that of the worst test. Throws ToolError.
int run_tests(const Options& options, const std::function<int(Options&)>& campaign);

// Returns a file name for each test, in order; different tests have different ones.
std::vector<std::string> test_folders(const std::vector<std::string>& names);

}  // namespace rff
