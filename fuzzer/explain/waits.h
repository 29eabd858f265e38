// Describes the waits of threads at the end of a run: the object, its holder, and cycles of waits.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

inline constexpr std::uint32_t kNobody = kNoThread;

// Returns "`m`" or "thread main.2"; empty if the object has no name.
std::string waited_object(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// Returns "waits for mutex `m` in f (f.c:12), held by thread main.2 since f.c:30".
std::string wait_text(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// Returns the threads of a deadlock that wait for each other in a cycle; empty if there is none.
std::vector<std::uint32_t> waiting_cycle(const Trace& trace);

// Returns "a", "a and b", "a, b and c".
std::string join(const std::vector<std::string>& parts);
// Returns "thread main.1", "threads main.1 and main.2".
std::string threads_text(const Trace& trace, const std::vector<std::uint32_t>& threads);

}  // namespace rff
