// Explains why no thread wakes a thread that waits for a signal: the signal came too early or woke
// another thread, or the condition changed between its check and the wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Whether only a signal can end the wait.
bool waits_for_signal(const Trace::Wait& wait);
// Explains a lost signal in one sentence.
std::string lost_signal(const Run& run, DebugInfo& debug, const Trace::Wait& wait);

// A value that a thread read before it began to wait, and that another thread changed later.
struct MissedChange {
  std::size_t read;   // index of the event
  std::size_t write;  // index of the last change
  std::size_t lock;   // index of its acquisition of the lock of the wait; the read if it has none
};
// Returns the missed changes of all threads that wait for a signal. Only reads since the thread's
// last unlock count.
std::vector<MissedChange> missed_changes(const Run& run);
// The same without those that libraries read, unless there are no others.
std::vector<MissedChange> told_changes(const Run& run, DebugInfo& debug);
std::string missed_change_text(const Run& run, DebugInfo& debug, const MissedChange& change);

}  // namespace rff
