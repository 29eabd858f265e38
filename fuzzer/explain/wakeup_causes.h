// Why nobody wakes a thread that waits for a signal: the signal came too early or went to another
// thread, or what the thread had looked at before it waited was changed behind its back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Waits that only a signal ends.
bool waits_for_signal(const Trace::Wait& wait);
// In one sentence.
std::string lost_signal(const Run& run, DebugInfo& debug, const Trace::Wait& wait);

// A value that the thread had seen before it began to wait, and that another one changed later.
struct MissedChange {
  std::size_t read;   // index of the event
  std::size_t write;  // of the last change
  std::size_t
      lock;  // by which the thread took the lock that it waits with; the read if it has none
};
// Of all threads that wait for a signal. What a thread saw counts from when it last unlocked
// something.
std::vector<MissedChange> missed_changes(const Run& run);
std::string missed_change_text(const Run& run, DebugInfo& debug, const MissedChange& change);

}  // namespace rff
