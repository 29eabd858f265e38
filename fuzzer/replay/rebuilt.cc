#include "fuzzer/replay/rebuilt.h"

#include <algorithm>

#include "fuzzer/replay/explanation.h"
#include "fuzzer/replay/name_translator.h"
#include "fuzzer/replay/need_tester.h"

namespace rff {
namespace {

constexpr std::uint64_t kRunsForNeeds = 40;

// A schedule without constraints says what matters only through its run: make constraints of the
// pairs that the failure needs, or, if none could be shown to be needed, of all between threads.
AbstractSchedule constraints_of_run(const Schedule& schedule, ReplayRunner& runner) {
  AbstractSchedule result;
  Run run = runner.run(schedule);
  if (!schedule.finding || !run.same_failure(*schedule.finding)) {
    return result;
  }
  DebugInfo debug;
  add_modules(run, debug);
  std::vector<StoryEvent> story = explain(run, debug).story;
  NeedTester(schedule, run, runner).test(story, kRunsForNeeds);
  bool tested = std::any_of(story.begin(), story.end(),
                            [](const StoryEvent& e) { return e.pair_need == Need::kNeeded; });
  for (const StoryEvent& e : story) {
    if (!is_memory_access(e.event.op) || (tested && e.pair_need != Need::kNeeded)) {
      continue;
    }
    const trace::EventInfo* source =
        e.from == From::kOtherThread ? run.trace.at_step(e.from_step) : nullptr;
    if (source != nullptr) {
      result.insert({source->event, e.event, true});
    } else if (e.from == From::kInitial) {
      result.insert({AbstractEvent::init(e.event.location()), e.event, true});
    }
  }
  return result;
}

std::string function_of(const std::string& program, CodeName code) {
  DebugInfo debug;
  debug.add_module(module_hash(program), program);
  return debug.inlined(code, DebugInfo::Code::kReturnAddress).back().function;
}

}  // namespace

RebuiltResult try_abstract_schedule(const Schedule& schedule, const LocatedTarget& target,
                                    ReplayRunner& runner, std::uint64_t max_runs) {
  RebuiltResult result;
  std::uint64_t first_run = runner.runs();
  Schedule s = schedule;
  std::string wanted_function;
  if (!target.recorded_program.empty()) {
    Schedule old = schedule;
    old.target.path = target.recorded_program;
    wanted_function = function_of(target.recorded_program, schedule.finding->place);
    if (s.constraints.empty()) {
      s.constraints = constraints_of_run(old, runner);
    }
    result.constraints_before = s.constraints.size();
    NameTranslator names(target.recorded_program, schedule.target.path);
    s.constraints = names.constraints(s.constraints);
    s.points = names.points(s.points);
  }
  result.constraints = s.constraints.size();
  s.finding.reset();
  s.prefix.clear();
  s.scheduler = SchedulerKind::kRff;
  first_run = runner.runs();
  for (std::uint64_t i = 0; i < max_runs; ++i) {
    s.seed = schedule.seed + i;
    Run run = runner.run(s);
    bool same = run.failed() && run.finding.kind == schedule.finding->kind &&
                (wanted_function.empty() ||
                 function_of(schedule.target.path, run.finding.place) == wanted_function);
    if (same) {
      s.finding = run.finding;
      result.schedule = s;
      result.run = std::move(run);
      break;
    }
  }
  result.runs = runner.runs() - first_run;
  return result;
}

}  // namespace rff
