// rff-drive: a person chooses, at each scheduling point of a program, which thread goes on.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/drive/driver.h"
#include "fuzzer/drive/options.h"
#include "schedule/standard_descriptors.h"

int main(int argc, char** argv) {
  rff::open_standard_descriptors();
  rff::ParsedDriveOptions parsed = rff::parse_drive_options(argc, argv);
  if (!parsed.options) {
    return parsed.exit_status;
  }
  try {
    int status = rff::drive(*parsed.options);
    if (std::fflush(stdout) != 0 && errno != EPIPE) {
      throw rff::tool_failed(std::string("cannot write to standard output: ") +
                             std::strerror(errno));
    }
    return status;
  } catch (const rff::ToolError& e) {
    rff::print_error("rff-drive", e.what());
    return e.status;
  } catch (const std::exception& e) {
    rff::print_error("rff-drive", e.what());
    return rff::kToolFailed;
  }
}
