// Reads what a run shows of its input from the record that the runtime left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/core/input_mutators.h"
#include "schedule/shared_memory.h"

namespace rff {

// Returns ids of the reads-from pairs of the run, and of the edges that it took, each with how
// often, if the program was patched with --branches; else of its events and their places.
std::vector<std::uint64_t> control_flow_of(const RunRecord& run);

// Returns how near the run came to equality, for each place that compares strings, or values with
// constants of the program.
std::vector<Nearness> nearness_of(const RunRecord& run);

// Returns the places at which a value was equal to a constant of the program, each once.
std::vector<std::uint64_t> agreements_of(const RunRecord& run);

// Returns what the comparisons of the run suggest.
InputHints hints_of(const RunRecord& run, const std::string& input);

}  // namespace rff
