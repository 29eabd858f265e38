// rff-replay: reproduces every failure exactly, and explains it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/commands.h"
#include "fuzzer/replay/options.h"
#include "schedule/standard_descriptors.h"

int main(int argc, char** argv) {
  rff::open_standard_descriptors();
  rff::ParsedReplayOptions parsed = rff::parse_replay_options(argc, argv);
  if (!parsed.options) {
    return parsed.exit_status;
  }
  try {
    int status = rff::replay(*parsed.options);
    // All output must have been written, unless the reader has closed the pipe.
    if (std::fflush(stdout) != 0 && errno != EPIPE) {
      throw rff::tool_failed(std::string("cannot write to standard output: ") +
                             std::strerror(errno));
    }
    return status;
  } catch (const rff::ToolError& e) {
    rff::print_error("rff-replay", e.what());
    return e.status;
  } catch (const std::exception& e) {
    rff::print_error("rff-replay", e.what());
    return rff::kToolFailed;
  }
}
