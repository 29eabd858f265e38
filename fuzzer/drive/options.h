// Parses the command line of rff-drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule_file.h"

namespace rff {

struct DriveOptions {
  std::string schedule;              // empty: none was given
  std::vector<std::string> command;  // the program and its arguments; empty: the schedule's
  bool plain = false;
  std::string output;  // empty: the driver shows the program's output
  std::string input;   // empty: /dev/null
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> processors;  // without a schedule only
};

// Holds an exit status instead of options for --help, --version and bad usage (already reported).
struct ParsedDriveOptions {
  std::optional<DriveOptions> options;
  int exit_status = 0;
};
ParsedDriveOptions parse_drive_options(int argc, char** argv);

}  // namespace rff
