// Why a run failed: the finding in a sentence, where each thread stands, and the events that
// mattered.
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

struct Explanation {
  std::string message;                // the program's own, of a form that only failures have
  std::string headline;               // what happened
  std::vector<std::string> causes;    // sentences: why
  std::vector<ThreadReport> threads;  // those that live
  std::size_t ended_threads = 0;
  std::vector<StoryEvent> story;           // reads-from across threads, and the switches, in order
  std::size_t story_left_out = 0;          // its beginning, if it is too long
  std::optional<Experiments> experiments;  // to find out what of the story was needed
};

// Recursion in a stack, and how to say it in place of the frames that repeat.
std::vector<Repeat> repeated_frames(const std::vector<Place>& frames);
std::string repeat_text(const Repeat& repeat, std::size_t frames);

// All modules of the run become known to `debug`.
void add_modules(const Run& run, DebugInfo& debug);
Explanation explain(const Run& run, DebugInfo& debug);

}  // namespace rff
