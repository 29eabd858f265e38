#include "fuzzer/replay/rebuilt.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/explain/divergence.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/explain/need_tester.h"
#include "fuzzer/explain/verdict.h"
#include "fuzzer/replay/carried_stops.h"
#include "fuzzer/replay/name_translator.h"

namespace rff {
namespace {

constexpr std::uint64_t kRunsForNeeds = 40;

// For a schedule without constraints: makes constraints from the recorded run's pairs that the
// failure needs, or, if none could be shown to be needed, from all pairs between threads.
AbstractSchedule constraints_of_run(const Schedule& schedule, Runner& runner) {
  AbstractSchedule result;
  Run run = runner.run(schedule);
  DebugInfo debug;
  add_modules(run, debug);
  if (!schedule.finding || !same_finding(*schedule.finding, run.finding, debug)) {
    return result;
  }
  std::vector<StoryEvent> story = explain(run, debug).story;
  NeedTester(schedule, run, runner, debug).test(story, {.runs = kRunsForNeeds});
  bool tested = std::any_of(story.begin(), story.end(),
                            [](const StoryEvent& e) { return e.pair_need == Need::kNeeded; });
  for (const StoryEvent& e : story) {
    if (!op_accesses(e.event.op) || (tested && e.pair_need != Need::kNeeded)) {
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

// `run` provides the libraries, which both builds share.
FindingIdentity identity_by_name(const std::string& program, const Finding& finding,
                                 const Run& run) {
  DebugInfo debug;
  debug.add_module(module_hash(program), program);
  add_modules(run, debug);
  return identify(finding, debug, IdentifiedBy::kFunctions);
}

// Returns the event that each decision of a run chose.
std::vector<AbstractEvent> decided_events(const Trace& trace) {
  std::vector<AbstractEvent> events;
  for (const trace::DecisionInfo& d : trace.decisions) {
    if (d.enabled > 1) {
      const trace::EventInfo* e = trace.at_step(d.step + 1);
      events.push_back(e != nullptr ? e->event : AbstractEvent{});
    }
  }
  return events;
}

// Compares events by kind and location, without the call site: for calls in a changed function the
// files alone give no counterpart, so the new build's pending event is used.
bool alike(const AbstractEvent& old, const AbstractEvent& now, NameTranslator& names) {
  AbstractEvent location = old;
  location.site = {};
  auto moved = names.event(location);
  return old.op == now.op && old.size == now.size && old.place == now.place &&
         (!moved || (moved->base == now.base && moved->offset == now.offset));
}

// For a schedule without constraints: counts the recorded run's decided events with a counterpart.
void count_events(const Schedule& old, Runner& runner, NameTranslator& names,
                  RebuiltResult& result) {
  std::map<std::uint64_t, AbstractEvent> distinct;
  for (const AbstractEvent& e : decided_events(runner.run(old).trace)) {
    distinct.emplace(e.id(), e);
  }
  result.to_follow = distinct.size();
  for (const auto& [id, event] : distinct) {
    result.followed += names.event(event) ? 1 : 0;
  }
}

// Without the recorded program there are no names. Counts constraints whose events the run still
// has.
std::size_t constraints_met(const AbstractSchedule& constraints, const Run& run) {
  std::set<std::uint64_t> seen;
  for (const AbstractEvent& e : run.event_list) {
    seen.insert(e.id());
  }
  auto there = [&](const AbstractEvent& e) {
    return e.op == OpKind::kInit || e.op == OpKind::kUnseen || seen.contains(e.id());
  };
  const auto& all = constraints.constraints();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const Constraint& c) {
    return there(c.write) && there(c.read);
  }));
}

}  // namespace

bool same_failure_by_name(const Schedule& recorded, const LocatedTarget& target, const Run& run) {
  if (!run.failed() || run.finding.kind != recorded.finding->kind) {
    return false;
  }
  return target.recorded_program.empty() ||
         identity_by_name(recorded.target.path, run.finding, run) ==
             identity_by_name(target.recorded_program, *recorded.finding, run);
}

std::optional<CarriedOver> carry_over(const Schedule& schedule, const LocatedTarget& target,
                                      Runner& runner) {
  constexpr int kMostRuns = 30;
  if (target.recorded_program.empty() || !schedule.finding) {
    return std::nullopt;
  }
  Schedule old = schedule;
  old.target.path = target.recorded_program;
  Run recorded = runner.run(old);
  std::vector<AbstractEvent> events = decided_events(recorded.trace);
  DebugInfo debug;
  add_modules(recorded, debug);
  if (!same_finding(*schedule.finding, recorded.finding, debug) ||
      events.size() != schedule.finding->decisions.size()) {
    return std::nullopt;
  }
  NameTranslator names(target.recorded_program, schedule.target.path);
  CarriedOver result{schedule, {}, {}};
  result.schedule.points = names.points(schedule.points);
  result.schedule.points.stops = stops_in(schedule.target.path, schedule.points.stops);
  result.schedule.constraints = names.constraints(schedule.constraints);
  std::map<std::uint64_t, std::uint64_t> new_ids;
  for (const AbstractEvent& e : events) {
    result.expected.push_back(event_text(e, debug));
    if (auto moved = names.event(e)) {
      new_ids.emplace(e.id(), moved->id());
    }
  }
  std::set<std::uint64_t> learned;
  for (int i = 0; i < kMostRuns; ++i) {
    for (std::size_t n = 0; n < events.size(); ++n) {
      auto id = new_ids.find(events[n].id());
      Decision& d = result.schedule.finding->decisions[n];
      if (id != new_ids.end()) {
        d.check = EventCheck::of(id->second, d.check.timed_out());
      }
    }
    result.run = runner.run(result.schedule);
    if (!result.run.trace.divergence) {
      break;
    }
    const trace::DivergenceInfo& d = result.run.trace.divergence->info;
    const AbstractEvent& wanted = events[d.decision];
    if (d.seen_thread == ~0u || !alike(wanted, d.pending, names) ||
        !learned.insert(wanted.id()).second) {
      break;
    }
    new_ids[wanted.id()] = d.pending.id();
  }
  return result;
}

RebuiltResult try_abstract_schedule(const Schedule& schedule, const LocatedTarget& target,
                                    Runner& runner, std::uint64_t max_runs) {
  RebuiltResult result;
  std::uint64_t first_run = runner.runs();
  Schedule s = schedule;
  s.points.stops = stops_in(schedule.target.path, schedule.points.stops);
  if (!target.recorded_program.empty()) {
    Schedule old = schedule;
    old.target.path = target.recorded_program;
    if (s.constraints.empty()) {
      s.constraints = constraints_of_run(old, runner);
    }
    result.constraints_before = s.constraints.size();
    NameTranslator names(target.recorded_program, schedule.target.path);
    s.constraints = names.constraints(s.constraints);
    s.points = names.points(s.points);
    result.to_follow = result.constraints_before;
    result.followed = s.constraints.size();
    if (result.to_follow == 0) {
      count_events(old, runner, names, result);
    }
  } else {
    result.to_follow = s.constraints.size();
  }
  result.constraints = s.constraints.size();
  s.finding.reset();
  s.prefix.clear();
  s.scheduler = SchedulerKind::kRff;
  first_run = runner.runs();
  for (std::uint64_t i = 0; i < max_runs; ++i) {
    s.seed = schedule.seed + i;
    Run run = runner.run(s);
    if (target.recorded_program.empty()) {
      result.followed = std::max(result.followed, constraints_met(s.constraints, run));
    }
    if (same_failure_by_name(schedule, target, run)) {
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
