#include "fuzzer/replay/options.h"

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kFooter[] =
    R"(Exit status: 1 the failure was reproduced, 0 the program ran and nothing was found (or not again in
another build), 2 bad usage or input,
3 the replay diverged or the tool failed.

Examples:
  rff-replay rff-out                                               the findings of a campaign, or its only one
  rff-replay rff-out/findings/001-assert/schedule.bin              run it again, and explain
  rff-replay --runs 100 schedule.bin                               100 of 100 reproduced?
  rff-replay --minimize -o small.bin schedule.bin                  the shortest way to the failure
  rff-replay --html failure.html schedule.bin                      a picture of the interleaving
  rff-replay --gdb schedule.bin                                    stop in the debugger where it fails
  rff-replay schedule.bin -- ./rebuilt                             does a changed program still fail?)";

void add_options(CommandLine& line, ReplayOptions& o) {
  line.word("SCHEDULE", o.schedule,
            "The schedule: schedule.bin of a finding, its folder, or that of a campaign");
  line.flag("--show", o.show, "Print the schedule without running the program");
  line.flag("--json", o.json, "The report for machines (its fields: fuzzer/report/json.md)");
  line.flag("--trace", o.trace, "Print the whole interleaving, event by event");
  line.whole("--runs", o.runs, 1, 1'000'000,
             {"N", "Replay N times; ends with \"K of N reproduced\""});
  line.one_of("--carrier", {"auto", "thread", "fiber"},
              [&o](const std::string& name) { o.carrier = name; },
              {"NAME", "What threads run on: auto, thread or fiber"});
  line.flag("--minimize", o.minimize,
            "Find fewer constraints and context switches that still fail");
  line.text(
      "-o,--output", o.output,
      {"FILE",
       "Where --minimize writes the schedule, or that of a rebuilt program that fails again"});
  line.whole("--max-runs", o.max_runs, 0, 1'000'000'000,
             {"N",
              "Most runs for --minimize (500), for finding out what the failure needs (40, and no "
              "longer than 20 s), for a rebuilt program (100)"});
  line.flag("--quick", o.quick, "Do not test what the failure needs");
  line.text("--html", o.html, {"FILE", "Write a page that shows the interleaving"});
  line.text("--report", o.report,
            {"DIR", "Write report.txt, report.json, report.html and output.txt to this folder"});
  line.text("--trace-events", o.trace_events,
            {"FILE", "Write the run for timelines (Perfetto, chrome://tracing, speedscope)"});
  line.flag("--gdb", o.gdb, "Stop in the debugger where it fails");
  line.texts("--gdb-arg", o.gdb_arguments,
             {"WORD", "A further argument for gdb, e.g. --gdb-arg=-batch"});
  line.option(
      "--timeout", [&o](const std::string& value) { return read_seconds(value, 1e-9, o.timeout); },
      {"TIME", "Seconds (or 90s, 10m) after which a run that does not end is cut off", "60"});
}

}  // namespace

ParsedReplayOptions parse_replay_options(int argc, char** argv) {
  ReplayOptions o;
  CommandLine line(
      {.program = "rff-replay",
       .usage = "rff-replay [options] SCHEDULE [[--] PROG [ARGS...]]",
       .description =
           "Runs a program again under exactly the schedule in a file, and explains what happened.",
       .footer = kFooter});
  add_options(line, o);
  try {
    if (!line.parse(argc, argv)) {
      return {std::nullopt, 0};
    }
    if (o.minimize && o.output.empty()) {
      throw UsageError("--minimize needs -o OUT.bin for the result");
    }
  } catch (const UsageError& error) {
    print_error("rff-replay", error.what());
    return {std::nullopt, kBadUsage};
  }
  o.command = line.command();
  return {o, 0};
}

}  // namespace rff
