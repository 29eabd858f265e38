#include "fuzzer/drive/options.h"

#include <limits>

#include "command_line/command_line.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kFooter[] =
    R"(At the prompt, h lists the commands: the name or number of a thread is one step of it, g runs it, b goes back,
f lets a scheduler finish, s saves a schedule for rff-replay.

Exit status: 0, 2 bad usage or input, 3 the tool failed.

Examples:
  rff-drive -- ./prog 4 input.txt                                  from the start
  rff-drive rff-out/findings/001-assert                            follow a finding, and leave it anywhere
  printf '1\n1\ng 2\ns mine.bin\n' | rff-drive -- ./prog            a script)";

void add_options(CommandLine& line, DriveOptions& o) {
  line.optional_word("SCHEDULE", o.schedule,
                     "The run to follow: a schedule.bin, or the folder of a finding");
  line.flag("--plain", o.plain,
            "Line by line, without a screen: the default unless both ends are a terminal");
  line.text("--output", o.output, {"FILE", "Where the program's output goes"});
  line.text("--input", o.input, {"FILE", "The program's standard input", "/dev/null"});
  line.whole(
      "--seed", o.seed, 0, std::numeric_limits<std::uint64_t>::max(),
      {"N", "For random numbers of the program and of schedulers; a SCHEDULE has its own", "1"});
  line.whole("--processors", o.processors, 1, kMaxProcessors,
             {"N", "Processors that the program sees, without a SCHEDULE, which has its own",
              std::to_string(kDefaultProcessors)});
}

}  // namespace

ParsedDriveOptions parse_drive_options(int argc, char** argv) {
  DriveOptions o;
  CommandLine line({.program = "rff-drive",
                    .usage = "rff-drive [options] [SCHEDULE] [-- PROG [ARGS...]]",
                    .description =
                        "Runs a program step by step: at each scheduling point a person chooses "
                        "the thread that goes on.",
                    .footer = kFooter});
  add_options(line, o);
  try {
    if (!line.parse(argc, argv)) {
      return {std::nullopt, 0};
    }
    o.command = line.command();
    if (o.schedule.empty() && o.command.empty()) {
      throw UsageError("no program given: rff-drive [options] [SCHEDULE] [-- PROG [ARGS...]]");
    }
    if (!o.schedule.empty() && o.processors) {
      throw UsageError("a SCHEDULE has its number of processors: leave --processors out");
    }
  } catch (const UsageError& error) {
    print_error("rff-drive", error.what());
    return {std::nullopt, kBadUsage};
  }
  return {o, 0};
}

}  // namespace rff
