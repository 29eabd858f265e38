#include "fuzzer/campaign/stop_list.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "fuzzer/common/run_summary.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/debug/stop_resolver.h"
#include "fuzzer/run/runner.h"

namespace rff {
namespace {

std::vector<std::string> files_of(const Target& target) {
  std::vector<std::string> files = {target.path};
  files.insert(files.end(), target.libraries.begin(), target.libraries.end());
  return files;
}

// Everything that can be chosen, as far as the file is patched for it.
std::vector<StopRule> all_stops(DebugInfo& debug, const Target& target) {
  StopResolver resolver(debug, files_of(target));
  std::vector<StopRule> rules = {resolver.resolve({"accesses", StopSpec::Kind::kAccesses})};
  if (resolver.has_calls()) {
    rules.push_back(resolver.resolve({"calls", StopSpec::Kind::kCalls}));
  }
  return rules;
}

// Runs once to find the accesses that may race, and once more to stop at all of them.
std::shared_ptr<SharedMemory> run_twice(Schedule& schedule, const Options& options,
                                        const Installation& installation) {
  Runner runner(
      {.launcher = installation.launcher, .carrier = options.carrier, .tee_output = true});
  std::shared_ptr<SharedMemory> memory;
  for (int i = 0; i < 2; ++i) {
    runner.run(schedule);
    memory = runner.take_memory();
    for (std::uint64_t packed : memory->points) {
      PointName point = PointName::unpack(packed);
      auto& list = point.handed_over ? schedule.points.handed_over : schedule.points.sites;
      list.push_back(point.site);
    }
    std::sort(schedule.points.sites.begin(), schedule.points.sites.end());
    std::sort(schedule.points.handed_over.begin(), schedule.points.handed_over.end());
  }
  return memory;
}

struct Row {
  std::string file;
  int line = 0;
  std::string place, function, operation, variable;
  auto operator<=>(const Row&) const = default;
};

Row row_of(const AbstractEvent& event, DebugInfo& debug) {
  Place place = debug.place(event);
  bool names = op_accesses(event.op) || event.place == LocationKind::kGlobal;
  return {place.file_name(),
          place.line,
          place.where(),
          place.function,
          std::string(op_name(event.op)),
          names ? debug.short_location(event) : ""};
}

std::string table(const std::map<Row, std::uint64_t>& rows) {
  std::size_t widths[] = {0, 0, 0};
  for (const auto& [row, passed] : rows) {
    widths[0] = std::max(widths[0], row.operation.size());
    widths[1] = std::max(widths[1], row.place.size());
    widths[2] = std::max(widths[2], row.function.size());
  }
  auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - text.size(), ' ');
  };
  std::string result;
  for (const auto& [row, passed] : rows) {
    char number[32];
    std::snprintf(number, sizeof number, "%8llu  ", static_cast<unsigned long long>(passed));
    std::string line = number + padded(row.operation, widths[0]) + "  " +
                       padded(row.place, widths[1]) + "  " + padded(row.function, widths[2]) +
                       "  " + row.variable;
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return result;
}

}  // namespace

std::string list_stop_points(const Options& options, const Installation& installation,
                             const Prepared& prepared) {
  DebugInfo debug;
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kRandom;
  schedule.seed = options.seed.value_or(0);
  schedule.timeouts = options.timeouts;
  schedule.target = prepared.target;
  schedule.points.racing = options.racing_points;
  schedule.points.stops =
      prepared.stops.empty() ? all_stops(debug, prepared.target) : prepared.stops;
  std::shared_ptr<SharedMemory> memory = run_twice(schedule, options, installation);
  for (const ModuleRecord& module : memory->modules) {
    debug.add_module(module.hash, std::string(module.path.view()));
  }
  RunSummary run = summarize(memory->run);
  std::map<Row, std::uint64_t> rows;
  for (const Step& step : run.steps) {
    if ((step.check & Step::kPoint) != 0 && step.event < run.events.size()) {
      ++rows[row_of(run.events[step.event], debug)];
    }
  }
  std::uint64_t passed = 0;
  for (const auto& [row, n] : rows) {
    passed += n;
  }
  std::string end = count(rows.size(), "stop point") + ", passed " + count(passed, "time") +
                    (run.cut_short ? " in the first part of a long run" : "") + "\n";
  return table(rows) + end;
}

}  // namespace rff
