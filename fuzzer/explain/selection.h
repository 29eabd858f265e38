// What of a run is told: of all its events those that a reader needs to follow the failure.
#pragma once

#include <vector>

#include "fuzzer/explain/story.h"
#include "fuzzer/run/run.h"

namespace rff {

// More lines nobody reads: of a longer story the end is kept, which is where it fails.
inline constexpr std::size_t kLongestStory = 2000;

// In order; what comes again and again is told once. `left_out`: how many lines at the beginning
// were too many.
std::vector<StoryEvent> tell_story(const Run& run, Storyteller& teller, std::size_t* left_out);

}  // namespace rff
