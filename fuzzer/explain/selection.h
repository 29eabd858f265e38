// Selects the events of a run that a reader needs to follow the failure: the story.
#pragma once

#include <vector>

#include "fuzzer/explain/story.h"
#include "fuzzer/run/run.h"

namespace rff {

// The maximum number of lines. A longer story keeps its end, where the failure is.
inline constexpr std::size_t kLongestStory = 2000;

// Returns the events in order, repetitions once. `left_out` is the number of omitted lines at the
// beginning.
std::vector<StoryEvent> tell_story(const Run& run, Storyteller& teller, std::size_t* left_out);

}  // namespace rff
