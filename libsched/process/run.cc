#include "libsched/process/run.h"

#include <algorithm>
#include <vector>

#include "libsched/carrier/stacks.h"
#include "libsched/support/arena.h"
#include "libsched/support/words.h"

namespace rff {

Run::Run(Thread& main, const Modules& modules, World& world)
    : execution(main, accesses, findings, world),
      locations(modules),
      events(locations, modules),
      accesses(execution, shadow, events, locations, modules),
      findings(execution, accesses, events, locations, modules, trace),
      state(execution, modules, world),
      loops(execution, accesses, modules),
      stack(modules),
      modules_(modules) {
  accesses.rules.set_stack(stack);
  // Resets a thread that took part in an earlier run of this process.
  main.children = 0;
  main.signal_held_back = false;
  main.spin = {};
  *main.memory = ThreadMemory();
  execution.set_witness(state);
  execution.set_scheduler(make_random_walk(*schedule_, accesses), *schedule_);
}

void Run::begin(const Schedule& given, SharedMemory* shared, std::uint8_t* map,
                std::uint32_t map_size) {
  begun_ = true;
  shared_ = shared;
  RunRecord* record = shared != nullptr ? &shared->run : nullptr;
  {
    // State that every run has, whatever its schedule, must have the same address in every run.
    UseArena guard(Arena::kMain);
    shadow.start_afresh();
    locations.start_afresh();
    events.start(record, map,
                 modules_.branch_count() != 0 ? std::min(map_size, kMapHalf) : map_size);
  }
  branches.start(record, modules_);
  schedule_ = std::make_unique<Schedule>(given);
  choices.start(*schedule_, record);
  execution.report_to(record, trace.enabled());
  accesses.start(schedule_->points, schedule_->seed,
                 {record, trace.enabled() ? &trace : nullptr, trace.everything()});
  accesses.stops_alone = schedule_->scheduler == SchedulerKind::kSystematic;
  if (schedule_->exploration.loops_wait) {
    execution.set_stop_listener(&loops);
  }
  findings.start(record);
  execution.set_scheduler(
      make_run_scheduler(*schedule_, accesses, execution.progress, findings, driver), *schedule_);
  trace.thread(execution.current());
  use_points();
}

void Run::use_points() {
  PointSet& points = accesses.points;
  if (schedule_->points.listed || shared_ == nullptr) {
    std::vector<std::uint64_t> sites;
    for (CodeName c : schedule_->points.sites) {
      sites.push_back(PointName{c}.packed());
    }
    for (CodeName c : schedule_->points.handed_over) {
      sites.push_back(PointName{c, true}.packed());
    }
    points.use(sites.data(), sites.data() + sites.size());
  } else if (points.size() == 0 || schedule_->points.shared_version < points.size()) {
    std::uint32_t n = std::min(schedule_->points.shared_version, shared_->points.size());
    points.use(shared_->points.begin(), shared_->points.begin() + n);
  }  // otherwise the fork server has prepared them
}

void Run::end(int status) {
  if (ended_) {
    return;
  }
  ended_ = true;
  exit_status = status;
  accesses.commit(execution.current());
  branches.end();
  RunOutcome outcome = shared_ != nullptr ? write_record() : RunOutcome::kNormal;
  if (trace.enabled() && !findings.found()) {
    trace::OutcomeInfo info{};
    info.outcome = static_cast<std::uint32_t>(outcome);
    info.failure.exit_status = status;
    info.steps = execution.steps;
    info.trace_hash = accesses.trace_hash();
    trace.outcome(info, "");
  }
  trace.flush();
  execution.current_memory().stretch_end = 0;  // no access takes the fastest path from now on
}

RunOutcome Run::write_record() {
  RunRecord& run = shared_->run;
  Scheduler::ConstraintCounts counts = execution.scheduler().constraint_counts();
  run.events = execution.steps;
  run.scheduling_points = execution.points;
  run.switches = execution.switches;
  run.threads = execution.threads_of_program();
  run.stack_pages = static_cast<std::uint32_t>(stacks().first_size() / kPage);
  run.stacks_used = stacks().taken();
  run.points_version = schedule_->points.shared_version;
  run.rf_combination = events.combination();
  run.control_flow = events.control_flow();
  run.trace_hash = accesses.trace_hash();
  run.satisfied = counts.satisfied;
  run.abandoned = counts.abandoned;
  run.rejected = counts.rejected;
  for (const ConsideredAction& action : execution.scheduler().considered()) {
    run.considered.append(action);
  }
  if (execution.threads().size() == 1) {
    run.flags |= kNoThreads;
  }
  for (std::uint64_t site : accesses.points.learned()) {
    shared_->points.append(site);
  }
  RunOutcome outcome = run.outcome.load();
  if (outcome == RunOutcome::kUnknown) {
    outcome = RunOutcome::kNormal;
    run.outcome.store(outcome);
  }
  run.state.store(RunState::kEnded);
  return outcome;
}

}  // namespace rff
