// Explains why a run failed: the finding in a sentence, the position of each thread, and the events
// that mattered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzzer/explain/need_tester.h"
#include "fuzzer/explain/repeats.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/run/run.h"

namespace rff {

struct ThreadReport {
  std::uint32_t index = 0;
  std::string name;
  std::string state;  // "waits for `m` at f.c:12, held by thread main.2 since f.c:30"
  bool failed_here = false;
  Place created_at;
  std::vector<Place> frames;  // innermost first
};

// A place in the life of the block that a memory error concerns.
struct BlockEvent {
  std::string what;           // "freed"
  std::string by;             // "main.2"
  std::string when;           // "3 steps earlier"; may be empty
  std::vector<Place> frames;  // innermost first
};

struct Explanation {
  std::string message;                // the program's own failure message
  std::string headline;               // what happened
  std::vector<std::string> causes;    // sentences
  std::vector<BlockEvent> memory;     // of a memory error: used, freed, allocated
  std::vector<ThreadReport> threads;  // threads that have not ended
  std::size_t ended_threads = 0;
  std::vector<StoryEvent> story;           // reads-from across threads, and the switches, in order
  std::size_t story_left_out = 0;          // number of omitted lines at its beginning
  std::optional<Experiments> experiments;  // that tested which events were needed
};

// Finds recursion in a stack, and describes it in place of the repeated frames.
std::vector<Repeat> repeated_frames(const std::vector<Place>& frames);
std::string repeat_text(const Repeat& repeat, std::size_t frames);

// Adds all modules of the run to `debug`.
void add_modules(const Run& run, DebugInfo& debug);
Explanation explain(const Run& run, DebugInfo& debug);

}  // namespace rff
