// Finds lost updates: another thread had read the value before the update and overwrote the update
// with a value computed from it.
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

// Returns the last lost update of the location that `e` accesses.
std::optional<LostUpdate> lost_update(const Trace& trace, const trace::EventInfo& e);
std::string lost_update_text(const Run& run, DebugInfo& debug, const LostUpdate& update);

}  // namespace rff
