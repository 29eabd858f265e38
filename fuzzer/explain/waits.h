// What the threads of a run that has ended wait for, who could end it, and in which circle.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

inline constexpr std::uint32_t kNobody = kNoThread;

// "`m`", "thread main.2"; empty if it has no name.
std::string waited_object(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// "waits for mutex `m` in f (f.c:12), held by thread main.2 since f.c:30"
std::string wait_text(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait);
// The threads of a deadlock that wait for each other in a circle; empty if there is none.
std::vector<std::uint32_t> waiting_cycle(const Trace& trace);

// "a", "a and b", "a, b and c"
std::string join(const std::vector<std::string>& parts);
// "thread main.1", "threads main.1 and main.2"
std::string threads_text(const Trace& trace, const std::vector<std::uint32_t>& threads);

}  // namespace rff
