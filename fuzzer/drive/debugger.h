// d: gdb on the run so far, stopped where the driver stands.
#pragma once

#include <string>

#include "fuzzer/drive/describer.h"
#include "fuzzer/drive/session.h"

namespace rff {

// Runs gdb until the user quits it; then the session stands where it stood. Without a terminal gdb
// prints all threads and ends. Returns a remark.
std::string start_debugger(Session& session, Describer& describer, const std::string& launcher);

}  // namespace rff
