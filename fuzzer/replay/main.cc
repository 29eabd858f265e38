// rff-replay: every failure again, exactly, and explained.
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/commands.h"
#include "fuzzer/replay/options.h"

int main(int argc, char** argv) {
  rff::ParsedReplayOptions parsed = rff::parse_replay_options(argc, argv);
  if (!parsed.options) {
    return parsed.exit_status;
  }
  try {
    return rff::replay(*parsed.options);
  } catch (const rff::ToolError& e) {
    std::fprintf(stderr, "rff-replay: %s\n", e.what());
    return e.status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rff-replay: %s\n", e.what());
    return rff::kToolFailed;
  }
}
