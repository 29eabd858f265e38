#include "fuzzer/drive/debugger.h"

namespace rff {

std::string start_debugger(Session&, DebugInfo&, const std::string&) { return "not yet"; }

}  // namespace rff
