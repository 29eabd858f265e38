// d: gdb on the run so far, stopped where the driver stands.
#pragma once

#include <string>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/drive/session.h"

namespace rff {

// Runs gdb until the user quits it; then the session stands where it stood. Returns a remark.
std::string start_debugger(Session& session, DebugInfo& debug, const std::string& launcher);

}  // namespace rff
