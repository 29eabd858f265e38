// Reads what a run shows of its input from the record that the runtime left.
#pragma once

#include <string>

#include "fuzzer/core/input_corpus.h"
#include "schedule/shared_memory.h"

namespace rff {

InputTraits input_traits(const RunRecord& run, const std::string& input);

}  // namespace rff
