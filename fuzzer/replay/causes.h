// Sentences that say why: which values the failing thread had seen, and for a deadlock who waits
// for whom.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/replay/debug_info.h"
#include "fuzzer/replay/replay_run.h"

namespace rff {

std::vector<std::string> find_causes(const Run& run, DebugInfo& debug);

// "mutex `m`", "thread main.2", …; empty if it has no name.
std::string waited_object(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// "waits for mutex `m` at f.c:12, which thread main.2 has held since f.c:30"
std::string wait_text(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// The threads of a circular wait, in order; empty if there is none.
std::vector<std::uint32_t> waiting_cycle(const Trace& trace);

}  // namespace rff
