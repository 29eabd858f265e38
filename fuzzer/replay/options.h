// Parses the command line of rff-replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rff {

struct ReplayOptions {
  std::string schedule;
  std::vector<std::string> command;  // after --; empty: the recorded one
  bool show = false;
  bool json = false;
  bool trace = false;
  unsigned runs = 1;
  std::string carrier;
  bool unchecked = false;  // --check none
  bool minimize = false;
  std::string output;
  unsigned max_runs = 0;  // 0: a default that suits the task
  bool quick = false;
  std::string html;
  std::string report;  // a folder
  std::string trace_events;
  std::string regression;    // a folder of schedules that must not fail any more
  std::string exported;      // the file for such a folder
  unsigned around = 100;     // mutants of each of them
  bool strict = false;       // schedules that fit nothing in this build are an error
  unsigned skip_status = 0;  // the exit status if all of them are such
  bool gdb = false;
  std::vector<std::string> gdb_arguments;
  bool bytes = false;  // `schedule` is a string of bytes that decides the schedule
  std::uint32_t bytes_stay = 1, bytes_end = 2;
  std::string to_bytes;       // where to write the run as bytes
  std::string with_input;     // a file in place of the recorded input
  std::string extract_input;  // where to write the recorded input
  double timeout = 60;

  // Whether the program is asked for besides the input.
  bool with_program() const {
    return show || runs > 1 || minimize || gdb || json || trace || !with_input.empty() ||
           !report.empty() || !html.empty() || !command.empty();
  }
};

// Holds an exit status instead of options for --help, --version and bad usage (already reported).
struct ParsedReplayOptions {
  std::optional<ReplayOptions> options;
  int exit_status = 0;
};
ParsedReplayOptions parse_replay_options(int argc, char** argv);

}  // namespace rff
