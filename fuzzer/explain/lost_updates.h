// Updates that another thread overwrote: it had read the value from before the update, and wrote
// what it made of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Indexes of events, in this order.
struct LostUpdate {
  std::size_t read;
  std::size_t lost;
  std::size_t overwrite;
};

// The last one of the location that `e` accesses.
std::optional<LostUpdate> lost_update(const Trace& trace, const trace::EventInfo& e);
std::string lost_update_text(const Run& run, DebugInfo& debug, const LostUpdate& update);

}  // namespace rff
