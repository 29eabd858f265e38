#include "fuzzer/replay/commands.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "fuzzer/common/files.h"
#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/explain/divergence.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/explain/need_tester.h"
#include "fuzzer/explain/verdict.h"
#include "fuzzer/replay/activity.h"
#include "fuzzer/replay/gdb.h"
#include "fuzzer/replay/given_bytes.h"
#include "fuzzer/replay/listing.h"
#include "fuzzer/replay/minimizer.h"
#include "fuzzer/replay/rebuilt.h"
#include "fuzzer/replay/regression.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/replay/to_bytes.h"
#include "fuzzer/report/formats.h"
#include "fuzzer/report/report_builder.h"
#include "fuzzer/report/report_folder.h"
#include "fuzzer/report/schedule_text.h"
#include "fuzzer/report/trace_events.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/interrupts.h"
#include "schedule/schedule_json.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// The time limit when report files are written, for which a campaign waits.
constexpr std::chrono::seconds kTimeForFiles{3};

// One call of rff-replay: a schedule, its program, and the result of their run.
class Replay {
 public:
  Replay(const ReplayOptions& options, const std::string& path, Schedule schedule);

  // Each returns the exit status.
  int many_runs();
  int run_once();

 private:
  void run_schedule();
  // Call if the decisions did not lead to the failure in this build. Returns whether the abstract
  // schedule does; then run_ and schedule_ become the failing ones.
  bool find_again_on_rebuilt();
  void write_carried();
  int minimize();
  int write_bytes();
  void write_regression();
  int report();
  // Replaces run_ by a run that shows the same failure with fewer switches, if there is one.
  void prefer_simpler();
  FindingReport make_report(bool tests_needs);
  Experiments test_needs(Explanation& x);

  const ReplayOptions& options_;
  std::string path_;
  Schedule schedule_;
  LocatedTarget target_;
  Activity activity_;
  Runner runner_;
  DebugInfo debug_;
  Run run_;
  Comparison comparison_;
};

Replay::Replay(const ReplayOptions& options, const std::string& path, Schedule schedule)
    : options_(options),
      path_(path),
      schedule_(std::move(schedule)),
      target_(locate_target(schedule_.target, path, options.command, patch_choice(schedule_))),
      runner_({.launcher = Installation::find_launcher(),
               .carrier = options.carrier,
               .timeout = options.timeout,
               .tracing = options.trace ? Runner::Tracing::kEverything : Runner::Tracing::kShared,
               .tee_output = true,
               .tick = [this] { activity_.tick(); }}) {
  schedule_.target = target_.target;
  if (options.unchecked) {
    schedule_.target.checks = {};
  }
}

int Replay::many_runs() {
  const unsigned wanted = options_.runs;
  // A schedule that a person has saved need not fail.
  const bool fails = schedule_.finding.has_value();
  unsigned reproduced = 0;
  unsigned identical = 0;
  unsigned quiet = 0;
  std::string divergence;
  Trace first;
  unsigned runs = 0;
  for (unsigned i = 0; i < wanted; ++i) {
    activity_.doing("run " + std::to_string(i + 1) + " of " + std::to_string(wanted) + ", " +
                    std::to_string(reproduced) + " reproduced");
    Run run;
    try {
      run = runner_.run(schedule_);
    } catch (const Interrupted&) {
      if (i == 0) {
        throw;
      }
      break;
    }
    ++runs;
    add_modules(run, debug_);
    Comparison c = compare(schedule_, run, debug_);
    std::string d = i == 0 ? "" : divergence_of_traces(first, run.trace, debug_);
    if (!d.empty()) {
      c.identical = false;
      c.divergence += (c.divergence.empty() ? "" : "; ") + d;
    }
    bool same = fails ? c.verdict == Verdict::kReproduced && c.identical
                      : c.verdict == Verdict::kNothingFound && d.empty();
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
  activity_.clear();
  if (!divergence.empty()) {
    std::printf("First that was not the recorded run: %s\n", divergence.c_str());
  }
  std::printf(
      "%u of %u %s (%u the same run event by event)%s\n", fails ? reproduced : quiet, runs,
      fails ? "reproduced" : "ended without a failure, as the schedule's run did", identical,
      runs < wanted ? (", interrupted before the other " + std::to_string(wanted - runs)).c_str()
                    : "");
  return reproduced == runs ? kBugFound : quiet == runs ? kNothingFound : kToolFailed;
}

void Replay::write_carried() {
  if (!options_.output.empty() && !options_.minimize) {
    write_or_throw(options_.output, encode_schedule(schedule_));
    target_.notes.push_back("the schedule for this build is in " + options_.output);
  }
}

bool Replay::find_again_on_rebuilt() {
  constexpr std::uint64_t kDefaultRuns = 100;
  RebuiltResult r = try_abstract_schedule(schedule_, target_, runner_,
                                          options_.max_runs > 0 ? options_.max_runs : kDefaultRuns);
  std::string what =
      "the abstract schedule (" + std::to_string(r.constraints) +
      (r.constraints_before > 0 ? " of " + std::to_string(r.constraints_before) : "") +
      " constraints carried over by name)";
  if (!r.schedule) {
    target_.notes.push_back(
        what + " did not lead to the failure in this build in " + std::to_string(r.runs) + " runs" +
        (r.can_judge() ? ""
                       : "; only " + std::to_string(r.followed) + " of " +
                             count(r.to_follow, "thing") + " that led to it could be found again"));
    if (!run_.failed()) {
      comparison_.verdict = r.can_judge() ? Verdict::kNotReproduced : Verdict::kCannotJudge;
    }
    return false;
  }
  target_.notes.push_back(what + " leads to the same failure in this build: run " +
                          std::to_string(r.runs) + ", seed " + std::to_string(r.schedule->seed));
  schedule_ = *r.schedule;
  run_ = std::move(r.run);
  add_modules(run_, debug_);
  write_carried();
  return true;
}

int Replay::minimize() {
  constexpr std::uint64_t kDefaultRuns = 500;
  if (!run_.failed()) {
    throw tool_failed(
        "there is nothing to minimize: the program does not fail under this schedule");
  }
  std::size_t shown = 0;
  Minimizer minimizer(runner_, debug_, options_.max_runs > 0 ? options_.max_runs : kDefaultRuns,
                      [&](const Minimized& m) {
                        activity_.doing("minimizing: " + count(m.runs, "run") + ", " +
                                        std::to_string(m.constraints_before) + " -> " +
                                        std::to_string(m.constraints_after) + " constraints, " +
                                        std::to_string(m.switches_before) + " -> " +
                                        std::to_string(m.switches_after) + " switches");
                        if (std::exchange(shown, m.switches_after) != m.switches_after) {
                          activity_.say();
                        }
                      });
  Minimized m = minimizer.minimize(schedule_, run_);
  activity_.clear();
  write_or_throw(options_.output, encode_schedule(m.schedule));
  if (schedule_.input.given()) {
    std::printf("%zu -> %zu bytes of input, ", m.input_before, m.input_after);
  }
  std::printf("%zu -> %zu constraints, %zu -> %zu switches in %s%s: %s\n", m.constraints_before,
              m.constraints_after, m.switches_before, m.switches_after,
              count(m.runs, "run").c_str(), m.exhausted ? " (cut short: more might do better)" : "",
              options_.output.c_str());
  if (!options_.report.empty()) {
    schedule_ = std::move(m.schedule);
    run_ = std::move(m.run);
    comparison_ = compare(schedule_, run_, debug_);
    write_report_folder(options_.report, make_report(!options_.quick && !interrupted()));
  }
  return kBugFound;
}

int Replay::write_bytes() {
  std::string bytes =
      bytes_of_run(schedule_, run_, target_.original, options_.bytes_stay, runner_, activity_);
  write_or_throw(options_.to_bytes, bytes);
  std::printf("%s that lead to the same run: %s\n", count(bytes.size(), "byte").c_str(),
              options_.to_bytes.c_str());
  return comparison_.exit_status();
}

// Marks the events of the story that the failure needs.
Experiments Replay::test_needs(Explanation& x) {
  NeedTester::Budget budget{.runs = kRunsForNeeds, .time = kTimeForNeeds};
  if (!options_.report.empty()) {
    budget.time = kTimeForFiles;
  } else if (options_.max_runs > 0) {
    budget = {.runs = options_.max_runs};
  }
  return NeedTester(schedule_, run_, runner_, debug_).test(x.story, budget, [&](std::uint64_t n) {
    activity_.doing("trying what the failure needs: " + std::to_string(n) + " of at most " +
                    count(budget.runs, "run"));
  });
}

void Replay::run_schedule() {
  activity_.doing("running the program");
  std::optional<CarriedOver> carried;
  if (target_.rebuilt) {
    carried = carry_over(schedule_, target_, runner_);
  }
  runner_.trace_callers(true);
  run_ = carried ? std::move(carried->run) : runner_.run(schedule_);
  runner_.trace_callers(false);
  add_modules(run_, debug_);
  comparison_ = carried ? compare(carried->schedule, run_, debug_, carried->expected)
                        : compare(schedule_, run_, debug_);
  if (!target_.rebuilt || !schedule_.finding) {
    return;
  }
  if (same_failure_by_name(schedule_, target_, run_)) {
    comparison_.verdict = Verdict::kReproduced;
    schedule_ = carried ? carried->schedule : schedule_;
    schedule_.finding = run_.finding;
    write_carried();
  } else if (!run_.gave_up() && find_again_on_rebuilt()) {
    comparison_.verdict = Verdict::kReproduced;
  }
}

void Replay::prefer_simpler() {
  if (options_.trace || target_.rebuilt || !run_.failed() || !comparison_.identical) {
    return;
  }
  std::optional<Schedule> simpler = simpler_schedule(path_, schedule_, debug_);
  if (!simpler) {
    return;
  }
  simpler->target = schedule_.target;
  Run run = runner_.run(*simpler);
  Comparison same = compare(*simpler, run, debug_);
  if (same.verdict != Verdict::kReproduced || !same.identical) {
    return;
  }
  target_.notes.push_back("told is minimized.bin, which fails in the same way with " +
                          std::to_string(switches(*simpler->finding)) + " instead of " +
                          std::to_string(switches(*schedule_.finding)) +
                          " switches (--trace tells of the given one)");
  schedule_ = std::move(*simpler);
  run_ = std::move(run);
}

FindingReport Replay::make_report(bool tests_needs) {
  std::optional<Explanation> explanation;
  if (run_.failed() || run_.gave_up()) {
    explanation = explain(run_, debug_);
    if (run_.failed() && tests_needs) {
      explanation->experiments = test_needs(*explanation);
    }
  }
  activity_.clear();
  FindingReport report =
      build_report({.schedule = schedule_,
                    .run = run_,
                    .debug = debug_,
                    .comparison = comparison_,
                    .explanation = std::move(explanation),
                    .notes = target_.notes,
                    .rebuilt = target_.rebuilt,
                    .input_changed = target_.input_changed,
                    .whole_trace = options_.trace,
                    .first_schedule = noted_first_schedule(fs::path(path_).parent_path())});
  report.replay_command = "rff-replay " + shell_word(fs::absolute(path_));
  return report;
}

void Replay::write_regression() {
  write_or_throw(options_.exported, encode_regression(make_regression(schedule_, run_, debug_)));
  if (!schedule_.target.standard_input.empty()) {
    std::optional<std::string> input = read_file(schedule_.target.standard_input);
    write_or_throw(options_.exported + ".input", input.value_or(""));
  }
}

int Replay::report() {
  prefer_simpler();
  if (!options_.exported.empty()) {
    write_regression();
  }
  FindingReport report = make_report(!options_.quick);
  if (!options_.html.empty()) {
    write_or_throw(options_.html, report_format("html").write(report));
  }
  if (!options_.trace_events.empty()) {
    write_or_throw(options_.trace_events, write_trace_events(report));
  }
  if (!options_.report.empty()) {
    write_report_folder(options_.report, report);
  }
  std::fputs(report_format(options_.json ? "json" : "text").write(report).c_str(), stdout);
  return comparison_.exit_status();
}

int Replay::run_once() {
  run_schedule();
  if (options_.minimize) {
    return minimize();
  }
  if (!options_.to_bytes.empty()) {
    return write_bytes();
  }
  if (options_.gdb) {
    return debug_failure(schedule_, run_, debug_, Installation::find_launcher(),
                         options_.gdb_arguments);
  }
  return report();
}

}  // namespace

int replay(const ReplayOptions& options) {
  if (!options.regression.empty()) {
    return check_regressions(options);
  }
  if (std::vector<std::string> findings = findings_of(options.schedule); findings.size() > 1) {
    return list_findings(findings);
  }
  std::string path = options.bytes ? options.schedule : schedule_file(options.schedule);
  if (options.show && !options.bytes) {
    // Files of --export are text.
    std::string text = read_file(path, kMaxScheduleBytes).value_or("");
    if (is_regression(text)) {
      std::fputs(text.c_str(), stdout);
      return kNothingFound;
    }
  }
  Schedule schedule = options.bytes ? schedule_of_bytes(options) : load_schedule(path);
  use_inputs(options, schedule);
  if (!options.extract_input.empty() && !options.with_program()) {
    return kNothingFound;
  }
  if (options.show) {
    return show_schedule(schedule, options.json);
  }
  check_writable(options.output);
  check_writable(options.html);
  check_writable(options.trace_events);
  check_writable(options.exported);
  check_writable(options.to_bytes);
  Replay command(options, path, std::move(schedule));
  if (!options.gdb) {
    catch_interrupts();  // gdb handles Ctrl-C itself
  }
  return options.runs > 1 ? command.many_runs() : command.run_once();
}

}  // namespace rff
