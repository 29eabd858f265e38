// The command line of rff-fuzz.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/common/stop_spec.h"
#include "fuzzer/export/exports.h"
#include "schedule/schedule_file.h"
#include "schedule/search_choice.h"

namespace rff {

struct Options {
  std::string corpus;  // -i; if empty, the search starts with the empty schedule
  bool resume = false;
  std::string output = "rff-out";  // "auto" until it is determined
  bool force = false;
  std::uint64_t max_schedules = 0;  // 0: no limit
  double max_seconds = 0;           // 0: no limit
  bool until_bug = false;
  std::string scheduler;  // --scheduler as given
  SearchChoice search;
  bool require_complete = false;
  bool help_schedulers = false;
  bool explain_search = false;
  std::optional<std::uint32_t> depth;  // --depth
  std::optional<std::uint64_t> seed;
  std::string carrier = "auto";
  Preemption timeouts = kDefaultPreemption;
  bool racing_points = true;
  std::vector<StopSpec> stops;  // --stop-at and --stop-at-file; empty: what --points says
  bool list_stop_points = false;
  bool check_determinism = false;
  std::string exit_is_bug = "auto";  // auto, yes, no; auto: yes if the plain run ends with status 0
  bool plain_run = true;
  std::uint32_t skip_status = 2;  // exit status if the program creates no thread
  std::uint32_t processors = kDefaultProcessors;
  Checks checks;  // --check, --quarantine, --check-ignore; the code to ignore is not resolved
  std::uint32_t instances = 1;
  std::string libraries;  // --libs; empty: only the libraries that should be patched
  std::uint32_t schedule_timeout_ms = 0;  // 0: from the time of the plain run
  bool unresponsive_is_bug = false;
  bool quiet = false;
  bool afl_ui = false;
  bool json = false;
  bool audit = true;
  std::uint64_t minimize_runs = 100;
  std::string inputs;  // --inputs: a folder or none; empty: the input is not fuzzed
  std::vector<std::string> dictionaries;
  std::uint64_t max_input = std::uint64_t{64} << 10;
  bool input_as_argument = false;
  std::string input_variable;  // --input-as env:NAME
  bool input_only = false;
  bool schedule_only = false;
  std::string property;
  bool list_properties = false;
  ExportTargets exports;  // what to write for other tools at the end
  std::string tests;      // gtest, catch2, libtest or auto: each test alone; empty: the program
  std::string filter;     // a pattern for their names
  bool list_tests = false;
  std::string test;                  // the test that the arguments choose; empty: the whole program
  std::vector<std::string> command;  // the whole command line
  std::string program;
  std::vector<std::string> arguments;
};

// Throws ToolError for combinations that contradict each other.
void check_options(const Options& options);

// Throws ToolError for bad usage. Returns nothing after --help or --version.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace rff
