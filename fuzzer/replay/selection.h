// What of a run is told: of all its events those that a reader needs to follow the failure.
#pragma once

#include <vector>

#include "fuzzer/replay/replay_run.h"
#include "fuzzer/replay/story.h"

namespace rff {

// In order; what comes again and again is told once.
std::vector<StoryEvent> tell_story(const Run& run, Storyteller& teller);

}  // namespace rff
