#include "fuzzer/replay/commands.h"

#include <cstdio>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/explain/divergence.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/explain/need_tester.h"
#include "fuzzer/explain/verdict.h"
#include "fuzzer/replay/activity.h"
#include "fuzzer/replay/gdb.h"
#include "fuzzer/replay/minimizer.h"
#include "fuzzer/replay/rebuilt.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/report/html_report.h"
#include "fuzzer/report/json_report.h"
#include "fuzzer/report/schedule_text.h"
#include "fuzzer/report/text_report.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/interrupts.h"
#include "schedule/schedule_json.h"

namespace rff {
namespace {

int show(const Schedule& schedule, const ReplayOptions& options) {
  if (options.json) {
    std::printf("%s\n", schedule_to_json(schedule).c_str());
    return kNothingFound;
  }
  DebugInfo debug;
  debug.add_module(module_hash(schedule.target.path), schedule.target.path);
  std::fputs(schedule_text(schedule, debug).c_str(), stdout);
  return kNothingFound;
}

int many_runs(const Schedule& schedule, Runner& runner, Activity& activity, unsigned wanted) {
  DebugInfo debug;
  unsigned reproduced = 0;
  unsigned identical = 0;
  unsigned quiet = 0;
  std::string divergence;
  Trace first;
  unsigned runs = 0;
  for (unsigned i = 0; i < wanted; ++i) {
    activity.doing("run " + std::to_string(i + 1) + " of " + std::to_string(wanted) + ", " +
                   std::to_string(reproduced) + " reproduced");
    Run run;
    try {
      run = runner.run(schedule);
    } catch (const Interrupted&) {
      if (i == 0) {
        throw;
      }
      break;
    }
    ++runs;
    add_modules(run, debug);
    Comparison c = compare(schedule, run, debug);
    if (std::string d = i == 0 ? "" : divergence_of_traces(first, run.trace, debug); !d.empty()) {
      c.identical = false;
      c.divergence += (c.divergence.empty() ? "" : "; ") + d;
    }
    bool same = c.verdict == Verdict::kReproduced && c.identical;
    reproduced += c.verdict == Verdict::kReproduced ? 1 : 0;
    identical += same ? 1 : 0;
    quiet += c.verdict == Verdict::kNothingFound ? 1 : 0;
    if (!same && divergence.empty()) {
      divergence = "run " + std::to_string(i + 1) + ": " + std::string(verdict_name(c.verdict)) +
                   (c.divergence.empty() ? "" : ", " + c.divergence);
    }
    if (i == 0) {
      first = std::move(run.trace);
    }
  }
  activity.clear();
  if (!divergence.empty()) {
    std::printf("First that was not the recorded run: %s\n", divergence.c_str());
  }
  std::printf(
      "%u of %u reproduced (%u the same run event by event)%s\n", reproduced, runs, identical,
      runs < wanted ? (", interrupted before the other " + std::to_string(wanted - runs)).c_str()
                    : "");
  return reproduced == runs ? kBugFound : quiet == runs ? kNothingFound : kToolFailed;
}

void write_carried(const Schedule& schedule, LocatedTarget& target, const ReplayOptions& options) {
  if (!options.output.empty() && !options.minimize) {
    write_or_throw(options.output, encode_schedule(schedule));
    target.notes.push_back("the schedule for this build is in " + options.output);
  }
}

// The decisions did not lead to the failure in this build: does the abstract schedule? If so `run`
// and `schedule` become those that fail.
bool again_on_rebuilt(Schedule& schedule, LocatedTarget& target, Runner& runner,
                      const ReplayOptions& options, Run& run, DebugInfo& debug) {
  constexpr std::uint64_t kDefaultRuns = 100;
  RebuiltResult r = try_abstract_schedule(schedule, target, runner,
                                          options.max_runs > 0 ? options.max_runs : kDefaultRuns);
  std::string what =
      "the abstract schedule (" + std::to_string(r.constraints) +
      (r.constraints_before > 0 ? " of " + std::to_string(r.constraints_before) : "") +
      " constraints carried over by name)";
  if (!r.schedule) {
    target.notes.push_back(what + " did not lead to the failure in this build in " +
                           std::to_string(r.runs) + " runs");
    return false;
  }
  target.notes.push_back(what + " leads to the same failure in this build: run " +
                         std::to_string(r.runs) + ", seed " + std::to_string(r.schedule->seed));
  schedule = *r.schedule;
  run = std::move(r.run);
  add_modules(run, debug);
  write_carried(schedule, target, options);
  return true;
}

int minimize(const Schedule& schedule, const Run& run, Runner& runner, Activity& activity,
             const ReplayOptions& options) {
  constexpr std::uint64_t kDefaultRuns = 500;
  if (!run.failed()) {
    throw tool_failed(
        "there is nothing to minimise: the program does not fail under this schedule");
  }
  Minimizer minimizer(runner, options.max_runs > 0 ? options.max_runs : kDefaultRuns,
                      [&](const Minimized& m) {
                        activity.doing("minimising: " + count(m.runs, "run") + ", " +
                                       std::to_string(m.constraints_before) + " -> " +
                                       std::to_string(m.constraints_after) + " constraints, " +
                                       std::to_string(m.switches_before) + " -> " +
                                       std::to_string(m.switches_after) + " switches");
                        activity.say();
                      });
  Minimized m = minimizer.minimize(schedule, run);
  activity.clear();
  write_or_throw(options.output, encode_schedule(m.schedule));
  std::printf("%zu -> %zu constraints, %zu -> %zu switches in %s%s: %s\n", m.constraints_before,
              m.constraints_after, m.switches_before, m.switches_after,
              count(m.runs, "run").c_str(), m.exhausted ? " (cut short: more might do better)" : "",
              options.output.c_str());
  return kBugFound;
}

Experiments experiments(const Schedule& schedule, const Run& run, Runner& runner,
                        Activity& activity, const ReplayOptions& options, Explanation& x) {
  NeedTester::Budget budget{.runs = kRunsForNeeds, .time = kTimeForNeeds};
  if (options.max_runs > 0) {
    budget = {.runs = options.max_runs};
  }
  return NeedTester(schedule, run, runner).test(x.story, budget, [&](std::uint64_t n) {
    activity.doing("trying what the failure needs: " + std::to_string(n) + " of at most " +
                   count(budget.runs, "run"));
  });
}

}  // namespace

int replay(const ReplayOptions& options) {
  std::string path = schedule_file(options.schedule);
  Schedule schedule = load_schedule(path);
  if (options.show) {
    return show(schedule, options);
  }
  check_writable(options.output);
  check_writable(options.html);
  LocatedTarget target = locate_target(schedule.target, path, options.command);
  schedule.target = target.target;
  if (!options.gdb) {
    catch_interrupts();  // gdb has its own idea of Ctrl-C
  }
  Activity activity;
  Runner runner({.launcher = Installation::find_launcher(),
                 .carrier = options.carrier,
                 .timeout = options.timeout,
                 .tracing = options.trace ? Runner::Tracing::kEverything : Runner::Tracing::kShared,
                 .tick = [&] { activity.tick(); }});
  if (options.runs > 1) {
    return many_runs(schedule, runner, activity, options.runs);
  }
  activity.doing("running the program");
  DebugInfo debug;
  std::optional<CarriedOver> carried;
  if (target.rebuilt) {
    carried = carry_over(schedule, target, runner);
  }
  Run run = carried ? std::move(carried->run) : runner.run(schedule);
  add_modules(run, debug);
  Comparison comparison = carried ? compare(carried->schedule, run, debug, carried->expected)
                                  : compare(schedule, run, debug);
  if (target.rebuilt && schedule.finding) {
    if (same_failure_by_name(schedule, target, run)) {
      comparison.verdict = Verdict::kReproduced;
      schedule = carried ? carried->schedule : schedule;
      schedule.finding = run.finding;
      write_carried(schedule, target, options);
    } else if (!run.gave_up() && again_on_rebuilt(schedule, target, runner, options, run, debug)) {
      comparison.verdict = Verdict::kReproduced;
    }
  }
  std::optional<Explanation> explanation;
  if (options.minimize) {
    return minimize(schedule, run, runner, activity, options);
  }
  if (options.gdb) {
    return debug_failure(schedule, run, debug, Installation::find_launcher(),
                         options.gdb_arguments);
  }
  if (run.failed() || run.gave_up()) {
    explanation = explain(run, debug);
    if (run.failed() && !options.quick) {
      explanation->experiments =
          experiments(schedule, run, runner, activity, options, *explanation);
    }
  }
  activity.clear();
  Report report{schedule, target, run, comparison, explanation ? &*explanation : nullptr};
  if (!options.html.empty()) {
    write_or_throw(options.html, html_report(report, debug));
  }
  if (options.json) {
    std::fputs(json_report(report, debug, options.trace).c_str(), stdout);
    return comparison.exit_status();
  }
  if (options.trace) {
    std::fputs(trace_text(run, debug).c_str(), stdout);
    std::fputs("\n", stdout);
  }
  std::fputs(text_report(report, debug).c_str(), stdout);
  if (std::string simpler = simpler_run(path, schedule); run.failed() && !simpler.empty()) {
    std::printf("\n%s", simpler.c_str());
  }
  return comparison.exit_status();
}

}  // namespace rff
