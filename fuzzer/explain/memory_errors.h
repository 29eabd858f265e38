// Explains memory errors: what the thread did, to which part of which block, and where the block
// was freed and allocated.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/explain/explanation.h"

namespace rff {

// Returns the error in a sentence. `where`: the place of the access.
std::string memory_headline(const Run& run, DebugInfo& debug, const std::string& where);

// Returns the stacks of the access, the free and the allocation, as far as there are any.
std::vector<BlockEvent> explain_memory(const Run& run, DebugInfo& debug);

}  // namespace rff
