// Describes a finding by names.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/replay/regression.h"

namespace rff {
namespace {

// A longer order is cut: what follows is left to the scheduler.
constexpr std::size_t kMostSteps = 2000;

class Describer {
 public:
  Describer(const Run& run, DebugInfo& debug) : run_(run), names_(debug) {
    names_.add(run.event_list);
    for (const trace::EventInfo& e : run.trace.events) {
      names_.add({e.event});
    }
  }

  // Every read of what another thread wrote, and of what nobody had written yet.
  void add_pairs(const AbstractSchedule& constraints) {
    if (!constraints.empty()) {
      for (const Constraint& c : constraints.constraints()) {
        file.constraints.push_back({index(c.write), index(c.read), c.positive});
      }
      return;
    }
    for (const trace::EventInfo& e : run_.trace.events) {
      bool known = (e.flags & trace::kReadsFromKnown) != 0;
      const trace::EventInfo* source = known ? run_.trace.at_step(e.reads_from) : nullptr;
      if (source == nullptr || source->thread == e.thread || !op_accesses(e.event.op)) {
        continue;
      }
      RegressionConstraint c{index(source->event), index(e.event), true};
      if (std::find(file.constraints.begin(), file.constraints.end(), c) ==
          file.constraints.end()) {
        file.constraints.push_back(c);
      }
    }
  }

  void add_order() {
    for (const trace::DecisionInfo& d : run_.trace.decisions) {
      const trace::EventInfo* e = run_.trace.at_step(d.step + 1);
      if (e != nullptr && e->thread == d.thread && file.order.size() < kMostSteps) {
        bool timed_out = (e->flags & trace::kTimedOutFlag) != 0;
        file.order.push_back({e->thread, index(e->event), timed_out});
      }
    }
  }

  RegressionFile file;

 private:
  unsigned index(const AbstractEvent& event) {
    auto [it, fresh] = indexes_.try_emplace(names_.name(event), file.events.size());
    if (fresh) {
      file.events.push_back(it->first);
    }
    return static_cast<unsigned>(it->second);
  }

  const Run& run_;
  EventNames names_;
  std::map<EventName, std::size_t> indexes_;
};

}  // namespace

RegressionFile make_regression(const Schedule& schedule, const Run& run, DebugInfo& debug) {
  if (!run.failed()) {
    throw bad_usage("--export: the program does not fail under this schedule");
  }
  if (schedule.points.chosen()) {
    throw bad_usage("--export: schedules of campaigns with --stop-at cannot be exported");
  }
  Describer describer(run, debug);
  RegressionFile& f = describer.file;
  f.kind = std::string(finding_name(run.finding.kind));
  std::istringstream identity(identify(run.finding, debug, IdentifiedBy::kFunctions).text());
  for (std::string part; std::getline(identity, part);) {
    f.failure.push_back(part);
  }
  std::string program = std::filesystem::path(schedule.target.path).filename().string();
  f.program = program.ends_with(".patched") ? program.substr(0, program.size() - 8) : program;
  f.arguments = schedule.target.arguments;
  for (std::string& argument : f.arguments) {
    if (argument.starts_with('/')) {
      argument = std::filesystem::path(argument).filename().string();
    }
  }
  f.timeouts = schedule.timeouts;
  f.processors = schedule.target.processors;
  f.exit_is_finding = schedule.exit_is_finding;
  f.racing_points = schedule.points.racing;
  f.has_input = !schedule.target.standard_input.empty();
  f.input = schedule.input;
  describer.add_pairs(schedule.constraints);
  describer.add_order();
  return std::move(describer.file);
}

}  // namespace rff
