#include "fuzzer/replay/given_bytes.h"

#include <cerrno>
#include <cstring>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/run/target_file.h"
#include "schedule/input_parts.h"

namespace rff {

SchedulingPoints points_under_bytes(const std::string& path) {
  SchedulingPoints points;
  points.racing = true;
  TargetFile program = TargetFile::open(path);
  // A program that makes runs itself stops in them at every access that it reports, and so it does
  // here: the same bytes are the same run.
  if (program.makes_runs) {
    points.every_access = true;
    if (!program.reports_accesses && !program.patched) {
      points.stops = {{"primitives", StopRule::Kind::kPrimitives, {}, {}}};
    }
  }
  return points;
}

Schedule schedule_of_bytes(const ReplayOptions& options) {
  std::optional<std::string> bytes = read_file(options.schedule);
  if (!bytes) {
    throw bad_usage("cannot read " + options.schedule + ": " + std::strerror(errno));
  }
  if (bytes->size() > kMaxStream) {
    throw bad_usage(options.schedule + " is too large: a schedule has at most 1 MiB of bytes");
  }
  Schedule s;
  s.scheduler = SchedulerKind::kBytes;
  s.stream = std::move(*bytes);
  s.bytes_stay = options.bytes_stay;
  s.bytes_end = options.bytes_end;
  s.timeouts = kDefaultPreemption;
  s.points.racing = true;
  if (!options.command.empty()) {
    s.points = points_under_bytes(options.command[0]);
  }
  return s;
}

void use_inputs(const ReplayOptions& options, Schedule& schedule) {
  bool asked = !options.with_input.empty() || !options.extract_input.empty();
  if (asked && !schedule.input.given()) {
    throw bad_usage(options.schedule +
                    " carries no input: it was made without --inputs (what its program read is "
                    "named by --show)");
  }
  if (!options.extract_input.empty()) {
    write_or_throw(options.extract_input, schedule.input.bytes);
    if (std::size_t parts = parts_of(schedule.input); parts > 0) {
      std::vector<std::string> texts = program_texts(schedule.input);
      for (std::size_t part = 0; part < parts; ++part) {
        write_or_throw(options.extract_input + "." + std::to_string(part + 1), texts[part]);
      }
    }
  }
  if (!options.with_input.empty()) {
    std::optional<std::string> bytes = read_file(options.with_input);
    if (!bytes) {
      throw bad_usage("cannot read " + options.with_input + ": " + std::strerror(errno));
    }
    if (bytes->size() > ProgramInput::kMost) {
      throw bad_usage(options.with_input + " is too large: an input has at most 1 MiB");
    }
    schedule.input.bytes = std::move(*bytes);
  }
}

}  // namespace rff
