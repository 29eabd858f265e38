#include "fuzzer/campaign/campaign.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <random>

#include "fuzzer/campaign/repetition.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/words.h"
#include "fuzzer/run/interrupts.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

Progress::Mode progress_mode(const Options& options) {
  if (options.quiet || options.afl_ui) {
    return Progress::Mode::kSilent;
  }
  return StatusLine::mode_for(stdout);
}

// The time that afl-fuzz has to end after a request to stop.
constexpr std::chrono::seconds kGrace{20};
// The time that audits may take beyond the user's limit.
constexpr std::chrono::seconds kAuditing{5};
// The time to minimize findings after the end. Then the best schedules so far are used.
constexpr std::chrono::seconds kMinimizing{30};
// The maximum length of the line that announces a finding.
constexpr std::size_t kColumns = 120;
// The additional time for findings without a report.
constexpr std::chrono::seconds kExplaining{15};

// Of many tests, some have no threads: that is no mistake.
NothingToSchedule without_threads(const Options& options) {
  bool whole = options.test.empty();
  return NothingToSchedule(static_cast<ExitStatus>(options.skip_status),
                           (whole ? options.program : options.test) +
                               " ended without creating a thread, so there is nothing to schedule" +
                               (whole ? ": check its arguments and its input" : ""));
}

}  // namespace

Campaign::Campaign(const Options& options, const Installation& installation, OutputFolder& output,
                   Prepared prepared)
    : options_(options),
      installation_(installation),
      output_(output),
      prepared_(std::move(prepared)),
      findings_(output, sources_, installation.replay),
      unresponsive_(output, sources_),
      minimization_({.replay = installation.replay,
                     .carrier = options.carrier,
                     .max_runs = options.minimize_runs,
                     .timeout_ms = 0}),
      timeout_ms_(options.schedule_timeout_ms != 0 ? options.schedule_timeout_ms
                                                   : kShortestTimeout),
      progress_(progress_mode(options), options.max_schedules, options.max_seconds) {
  sources_.add_module(module_hash(prepared_.target.path), prepared_.target.path);
}

ExitStatus Campaign::run() {
  catch_interrupts();
  if (options_.resume) {
    resume();
  }
  run_plainly();
  set_time_limit();
  for (const FindingGroup& group : findings_.groups()) {
    minimization_.add(output_ / group.folder);
  }
  seed_ = options_.seed.value_or(
      options_.resume ? hash_combine(before_.seed, before_.schedules)
                      : (std::uint64_t{std::random_device{}()} << 16 ^ std::random_device{}()));
  ExplorationIdentity identity = resume_exploration();
  set_up_memory();
  memory().identity = identity;
  // The runtime ends long runs itself; the longer timeout is for runs in which it cannot.
  Runner::Settings reruns{.launcher = installation_.launcher,
                          .carrier = options_.carrier,
                          .timeout = 2 * timeout_ms_ / 1000.0 + 10,
                          .schedule_timeout_ms = timeout_ms_};
  Runner::Settings confirming = reruns;
  confirming.tee_output = true;
  confirmer_ = std::make_unique<Runner>(confirming);
  confirmer_->stop_when(give_up());
  auditor_ = std::make_unique<Auditor>(reruns);
  started_ = stats_written_ = Clock::now();
  try {
    start_instances();
    loop();
  } catch (const ToolError& error) {
    failure_ = error.what();
  }
  finish();
  if (!failure_.empty() && !findings_.groups().empty()) {
    // A finding remains a result even if the campaign fails.
    std::fflush(stdout);
    std::fprintf(stderr, "rff-fuzz: %s; findings so far are in %s\n", failure_.c_str(),
                 (output_ / "findings").c_str());
    return kBugFound;
  }
  if (!failure_.empty()) {
    throw tool_failed(failure_);
  }
  if (nothing_to_schedule()) {
    if (std::string why = why_not_runnable(); !why.empty()) {
      throw tool_failed(why);
    }
    std::error_code error;
    fs::remove(output_ / "stats.json", error);  // there is no campaign to resume
    throw without_threads(options_);
  }
  if (std::string reason = why_inconclusive(stats()); !reason.empty()) {
    throw tool_failed(reason);
  }
  return conclusion();
}

void Campaign::loop() {
  for (;;) {
    wait_for_events();
    check_instances();
    for (auto& afl : instances_) {
      afl->read_output();
      take_reports(*afl);
    }
    take_audits();
    take_minimized();
    check_limits();
    tell_cost();
    if (all_done()) {
      for (auto& afl : instances_) {
        take_reports(*afl);
      }
      return;
    }
    Stats now = stats();
    progress_.show(now, before_);
    if (Clock::now() - stats_written_ > std::chrono::seconds(5)) {
      write_stats();
    }
  }
}

// An instance that has died and may be restarted is not done.
bool Campaign::all_done() {
  bool stopping = stop_requested_ || memory().stop.load() != 0;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (!instances_[i]->ended() || !(stopping || lives_[i].dead)) {
      return false;
    }
  }
  return true;
}

void Campaign::wait_for_events() {
  std::vector<pollfd> wanted;
  for (auto& afl : instances_) {
    if (!afl->ended()) {
      wanted.push_back({afl->socket(), POLLIN, 0});
      if (afl->output() >= 0) {
        wanted.push_back({afl->output(), POLLIN, 0});
      }
    }
  }
  ::poll(wanted.data(), wanted.size(), 50);
}

void Campaign::take_reports(AflFuzz& afl) {
  Report report;
  while (::recv(afl.socket(), &report, sizeof report, MSG_DONTWAIT) == sizeof report) {
    handle(afl, report);
  }
}

void Campaign::handle(AflFuzz& afl, const Report& report) {
  switch (report.kind) {
    case ReportKind::kSameFinding: findings_.count(report.key); break;
    case ReportKind::kLost: lost_runs_.add(report); break;
    case ReportKind::kTrouble:
      failure_ = std::string(report.path.view());
      request_stop();
      break;
    case ReportKind::kAudit:
    case ReportKind::kUnresponsive:
    case ReportKind::kFinding: {
      Reply reply = Reply::kUnstable;
      try {
        reply = confirm(report);
      } catch (const ToolError& error) {
        failure_ = error.what();
        reply = Reply::kStop;
      }
      if (report.kind == ReportKind::kFinding) {
        ::send(afl.socket(), &reply, sizeof reply, MSG_NOSIGNAL);
      }
      break;
    }
  }
}

Reply Campaign::confirm(const Report& report) {
  std::string path(report.path.view());
  std::optional<std::string> bytes = read_file(path);
  DecodeResult decoded = bytes ? decode_schedule(*bytes) : DecodeResult{};
  std::error_code error;
  fs::remove(path, error);
  if (!decoded.schedule || !decoded.schedule->finding) {
    throw tool_failed("cannot read back " + path + ": " + (bytes ? decoded.error : "it is gone"));
  }
  Schedule schedule = std::move(*decoded.schedule);
  schedule.target = prepared_.target;
  if (report.kind == ReportKind::kAudit) {
    if (!interrupted()) {
      auditor_->add(std::move(schedule), report.schedule);
    }
    return Reply::kConfirmed;
  }
  learn_modules();
  if (report.kind == ReportKind::kUnresponsive) {
    keep_unresponsive(schedule, report.schedule);
    return Reply::kConfirmed;
  }
  if (findings_.count(report.key) || findings_.count(report.key, *schedule.finding)) {
    return Reply::kConfirmed;
  }
  Run repeated;
  std::string divergence =
      difference_when_repeated(*confirmer_, schedule, *schedule.finding, &repeated);
  if (!divergence.empty()) {
    ++unstable_;
    ++unstable_failures_;
    doubt_runs_in_place();
    findings_.add_unstable(schedule, report.schedule, divergence);
    progress_.say("unstable: " + std::string(finding_name(report.finding)) + " at schedule " +
                  std::to_string(report.schedule) + " did not repeat: " + divergence);
    return Reply::kUnstable;
  }
  if (findings_.needs_callers(*schedule.finding)) {
    repeated = with_callers(*confirmer_, schedule, repeated);
  }
  if (schedule.input.given()) {
    std::uint64_t size = schedule.input.bytes.size();
    smallest_input_ = std::min(smallest_input_.value_or(size), size);
  }
  const FindingGroup& group = findings_.add(schedule, report.schedule, report.key, repeated);
  minimization_.add(output_ / group.folder);
  std::string line = "FOUND " + std::string(finding_name(group.kind)) + " at " +
                     findings_.place_text(group) + ", schedule " +
                     std::to_string(group.first_schedule) + ": " + group.summary;
  // The report has the full text.
  progress_.say(progress_.highlighted(shortened(line, kColumns), "FOUND") +
                "\n  replay: " + findings_.replay_command(group));
  write_stats();
  return Reply::kConfirmed;
}

void Campaign::keep_unresponsive(const Schedule& schedule, std::uint64_t number) {
  learn_modules();
  if (std::string said = unresponsive_.add(schedule, number); !said.empty()) {
    progress_.say(said);
  }
}

void Campaign::take_audits() {
  for (Auditor::Verdict& verdict : auditor_->take_verdicts()) {
    ++audited_;
    if (!verdict.divergence.empty()) {
      ++unstable_;
      doubt_runs_in_place();
      learn_modules();
      findings_.add_unstable(verdict.schedule, verdict.number, verdict.divergence);
      named_difference_ = named_difference_.empty() ? verdict.divergence : named_difference_;
      progress_.say("unstable: schedule " + std::to_string(verdict.number) +
                    " ran differently when repeated: " + verdict.divergence);
      write_stats();  // a campaign that is resumed must know
    }
  }
}

// A run in a fresh process was different. That is the program's doing, or that of runs in place.
void Campaign::doubt_runs_in_place() {
  bool in_place = false;
  for (const auto& afl : instances_) {
    SharedMemory& memory = afl->memory();
    in_place |= memory.in_place > 0 && memory.in_place_disabled.exchange(1) == 0;
  }
  if (in_place) {
    ++disagreements_;
    progress_.say("from now on each schedule gets a process of its own");
  }
}

void Campaign::take_minimized() {
  for (const std::string& message : minimization_.advance()) {
    progress_.say(message);
  }
}

void Campaign::check_limits() {
  check_start();
  if (interrupted() && !stop_requested_) {
    progress_.say("interrupted: ending");
  }
  if ((out_of_time({}) || interrupted()) && !stop_requested_) {
    request_stop();
  }
  if (stop_requested_ && Clock::now() - stop_requested_at_ > kGrace) {
    for (auto& afl : instances_) {
      afl->kill();
    }
  }
}

bool Campaign::out_of_time(std::chrono::seconds grace) const {
  std::chrono::duration<double> given(options_.max_seconds);
  return options_.max_seconds > 0 && Clock::now() - started_ > given + grace;
}

void Campaign::request_stop() {
  if (stop_requested_) {
    return;
  }
  stop_requested_ = true;
  stop_requested_at_ = Clock::now();
  memory().stop.store(1);
  for (auto& afl : instances_) {
    afl->stop();
  }
}

void Campaign::finish() {
  for (auto& afl : instances_) {
    afl->kill();
  }
  // Waits for running audits, which are part of the result, unless the user interrupts.
  while (failure_.empty() && !interrupted() && !auditor_->idle() && !out_of_time(kAuditing)) {
    ::usleep(2000);
  }
  Stats last = stats();
  try {
    take_audits();
    last = stats();
    write_stats();
  } catch (const ToolError& error) {
    failure_ = failure_.empty() ? error.what() : failure_;
  }
  auditor_->stop();
  finish_minimizing();
  progress_.end();
  if (!nothing_to_schedule() && last.schedules > 0) {
    print_summary(last);
  }
}

void Campaign::finish_minimizing() {
  if (!failure_.empty()) {
    minimization_.finish_soon();
  }
  take_minimized();
  if (!minimization_.idle() && !interrupted() && failure_.empty()) {
    progress_.say("minimizing what was found (at most " + std::to_string(kMinimizing.count()) +
                  " s; Ctrl-C ends that)");
  }
  bool finishing_soon = false;
  auto deadline = Clock::now() + kMinimizing;
  while (!minimization_.idle() && !give_up() && Clock::now() < deadline + kExplaining) {
    if ((interrupted() || Clock::now() > deadline) && !finishing_soon) {
      finishing_soon = true;
      minimization_.finish_soon();
    }
    ::usleep(2000);
    take_minimized();
  }
}

void Campaign::learn_modules() {
  for (auto& afl : instances_) {
    for (const ModuleRecord& module : afl->memory().modules) {
      sources_.add_module(module.hash, std::string(module.path.view()));
    }
  }
}

}  // namespace rff
