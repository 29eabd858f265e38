#include "fuzzer/replay/options.h"

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kUsage[] = "rff-replay [options] SCHEDULE [[--] PROG [ARGS...]]";
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
  rff-replay schedule.bin -- ./rebuilt                             does a changed program still fail?
  rff-replay --export tests/races/queue.bin schedule.bin           keep a bug that was fixed
  rff-replay --regression tests/races -- ./prog                    is each of them still fixed?)";

void add_byte_options(CommandLine& line, ReplayOptions& o) {
  line.flag("--bytes", o.bytes,
            "SCHEDULE is any file: its bytes decide which thread goes on (see rff-fuzz "
            "--help-schedulers)");
  line.one_of("--encoding", {"index", "stay"},
              [&o](const std::string& name) { o.bytes_stay = name == "stay" ? 1 : 0; },
              {"NAME",
               "With --bytes: index, byte b is the b-th thread; stay, 0 lets the running "
               "thread go on, b takes the b-th other",
               "stay"});
  line.one_of("--end", {"first", "stay", "seed", "stop"},
              [&o](const std::string& name) {
                o.bytes_end = name == "first" ? 0 : name == "stay" ? 1 : name == "seed" ? 2 : 3;
              },
              {"NAME",
               "With --bytes, after the last byte: first, the first thread; stay, no "
               "preemption; seed, pos, seeded by the bytes; stop, the run ends",
               "seed"});
  line.text("--to-bytes", o.to_bytes,
            {"FILE", "Write bytes that lead to the same run: --bytes FILE --end first runs them"});
  line.text("--with-input", o.with_input,
            {"FILE", "Give the program these bytes in place of the recorded input"});
  line.text("--extract-input", o.extract_input,
            {"FILE", "Write the recorded input to this file, and do nothing else unless asked"});
}

void add_options(CommandLine& line, ReplayOptions& o) {
  line.optional_word("SCHEDULE", o.schedule,
                     "The schedule: schedule.bin of a finding, its folder, or that of a campaign");
  line.flag("--show", o.show, "Print the schedule without running the program");
  line.flag("--json", o.json, "The report for machines (its fields: fuzzer/report/json.md)");
  line.flag("--trace", o.trace, "Print the whole interleaving, event by event");
  line.whole("--runs", o.runs, 1, 1'000'000,
             {"N", "Replay N times; ends with \"K of N reproduced\""});
  line.one_of("--carrier", {"auto", "thread", "fiber"},
              [&o](const std::string& name) { o.carrier = name; },
              {"NAME", "What threads run on: auto, thread or fiber"});
  line.one_of("--check", {"none"}, [&o](const std::string&) { o.unchecked = true; },
              {"none", "Run without the checks of memory with which the schedule was found"});
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
  line.text("--export", o.exported,
            {"FILE", "Write the finding by names, for a folder of --regression"});
  line.text("--regression", o.regression,
            {"DIR", "Run the program after -- as the files of --export in DIR say: none may fail"});
  line.whole("--around", o.around, 0, 1'000'000,
             {"N", "Further runs near each file of --regression", std::to_string(o.around)});
  line.flag("--strict", o.strict,
            "Exit status 3 if a file of --regression does not fit this build any more");
  line.whole("--skip-status", o.skip_status, 0, 255,
             {"N", "Exit status if so without --strict", std::to_string(o.skip_status)});
  line.flag("--gdb", o.gdb, "Stop in the debugger where it fails");
  line.texts("--gdb-arg", o.gdb_arguments,
             {"WORD", "A further argument for gdb, e.g. --gdb-arg=-batch"});
  line.option(
      "--timeout", [&o](const std::string& value) { return read_seconds(value, 1e-9, o.timeout); },
      {"TIME", "Seconds (or 90s, 10m) after which a run that does not end is cut off", "60"});
}

void check_words(const CommandLine& line, const ReplayOptions& o) {
  if (o.regression.empty() && o.schedule.empty()) {
    throw UsageError("no SCHEDULE given: " + std::string(kUsage));
  }
  if (!o.regression.empty() && !o.schedule.empty()) {
    throw UsageError("--regression takes no schedule: write -- before the program, " +
                     shown(o.schedule));
  }
  if (!o.regression.empty() && line.command().empty()) {
    throw UsageError("--regression needs a program: rff-replay --regression DIR -- PROG [ARGS...]");
  }
}

}  // namespace

ParsedReplayOptions parse_replay_options(int argc, char** argv) {
  ReplayOptions o;
  CommandLine line(
      {.program = "rff-replay",
       .usage = kUsage,
       .description =
           "Runs a program again under exactly the schedule in a file, and explains what happened.",
       .footer = kFooter});
  add_options(line, o);
  add_byte_options(line, o);
  try {
    if (!line.parse(argc, argv)) {
      return {std::nullopt, 0};
    }
    if (o.bytes && line.command().empty()) {
      throw UsageError("--bytes needs the program: rff-replay --bytes FILE -- PROG ARGS...");
    }
    check_words(line, o);
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
