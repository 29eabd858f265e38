#include "fuzzer/replay/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kFooter[] =
    R"(Exit status: 1 the failure was reproduced, 0 the program ran and nothing was found (or not again in
another build), 2 bad usage or input,
3 the replay diverged or the tool failed.

Examples:
  rff-replay rff-out/findings/001-assert/schedule.bin              run it again, and explain
  rff-replay --runs 100 schedule.bin                               100 of 100 reproduced?
  rff-replay --minimize -o small.bin schedule.bin                  the shortest way to the failure
  rff-replay --html failure.html schedule.bin                      a picture of the interleaving
  rff-replay --gdb schedule.bin                                    stop in the debugger where it fails
  rff-replay schedule.bin -- ./rebuilt.patched                     does a changed program still fail?)";

}  // namespace

ParsedReplayOptions parse_replay_options(int argc, char** argv) {
  ReplayOptions o;
  // CLI11 would take options of the program for ours: what follows -- is split off first.
  char** separator =
      std::find_if(argv + 1, argv + argc, [](char* a) { return std::strcmp(a, "--") == 0; });
  int own = static_cast<int>(separator - argv);
  if (own < argc) {
    o.command.assign(separator + 1, argv + argc);
  }
  CLI::App app(
      "Runs a program again under exactly the schedule in a file, and explains what happened.",
      "rff-replay");
  app.footer(kFooter);
  app.set_version_flag("--version", "rff-replay " RFF_VERSION);
  app.add_option("SCHEDULE", o.schedule, "The schedule: schedule.bin of a finding")->required();
  app.add_flag("--show", o.show, "Print the schedule without running the program");
  app.add_flag("--json", o.json, "The report for machines (its fields: fuzzer/report/json.md)");
  app.add_flag("--trace", o.trace, "Print the whole interleaving, event by event");
  app.add_option("--runs", o.runs, "Replay N times; ends with \"K of N reproduced\"")
      ->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--carrier", o.carrier, "What threads run on: thread or fiber")
      ->check(CLI::IsMember({"auto", "thread", "fiber"}));
  app.add_flag("--minimize", o.minimize,
               "Find fewer constraints and context switches that still fail");
  app.add_option(
      "-o,--output", o.output,
      "Where --minimize writes the schedule, or that of a rebuilt program that fails again");
  app.add_option(
      "--max-runs", o.max_runs,
      "Most runs for --minimize (500), for finding out what the failure needs (40, and no "
      "longer than 20 s), for a rebuilt program (100)");
  app.add_flag("--quick", o.quick, "Do not test what the failure needs");
  app.add_option("--html", o.html, "Write a page that shows the interleaving");
  app.add_option("--report", o.report,
                 "Write report.txt, report.json, report.html and output.txt to this folder");
  app.add_flag("--gdb", o.gdb, "Stop in the debugger where it fails");
  app.add_option("--gdb-arg", o.gdb_arguments, "A further argument for gdb, e.g. --gdb-arg=-batch")
      ->allow_extra_args(false);
  app.add_option("--timeout", o.timeout,
                 "Seconds after which a run that does not end is cut off (60)")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      return {std::nullopt, app.exit(e)};
    }
    std::fprintf(stderr, "rff-replay: %s (see rff-replay --help)\n", e.what());
    return {std::nullopt, kBadUsage};
  }
  if (o.minimize && o.output.empty()) {
    std::fprintf(stderr, "rff-replay: --minimize needs -o OUT.bin for the result\n");
    return {std::nullopt, kBadUsage};
  }
  return {o, 0};
}

}  // namespace rff
