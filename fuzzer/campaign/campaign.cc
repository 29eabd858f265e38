#include "fuzzer/campaign/campaign.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "fuzzer/afl/instance.h"
#include "fuzzer/common/files.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Ctrl-C once: end in good order. Twice: do not even finish what is being confirmed.
std::atomic<int> interruptions{0};
std::atomic<bool> give_up{false};

void on_interrupt(int) {
  if (interruptions.fetch_add(1) > 0) {
    give_up.store(true);
  }
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

Progress::Mode progress_mode(const Options& options) {
  if (options.quiet || options.afl_ui) {
    return Progress::Mode::kSilent;
  }
  return ::isatty(1) == 1 ? Progress::Mode::kLive : Progress::Mode::kLines;
}

// How long afl-fuzz may take to end after it was asked to.
constexpr std::chrono::seconds kGrace{20};

}  // namespace

Campaign::Campaign(const Options& options, const Installation& installation, OutputFolder& output,
                   Prepared prepared)
    : options_(options),
      installation_(installation),
      output_(output),
      prepared_(std::move(prepared)),
      findings_(output, sources_, installation.replay),
      progress_(progress_mode(options)) {
  sources_.add_module(module_hash(prepared_.target.path), prepared_.original);
}

ExitStatus Campaign::run() {
  catch_signals();
  if (options_.resume) {
    resume();
  }
  seed_ = options_.seed.value_or(
      options_.resume ? hash_combine(before_.seed, before_.schedules)
                      : (std::uint64_t{std::random_device{}()} << 16 ^ std::random_device{}()));
  set_up_memory();
  Rerunner::Settings reruns{.launcher = installation_.launcher,
                            .carrier = options_.carrier,
                            .library_path = prepared_.library_path,
                            .folder = (output_ / "inbox").string(),
                            .timeout_ms = options_.schedule_timeout_ms};
  confirmer_ = std::make_unique<Rerunner>(reruns, give_up);
  auditor_ = std::make_unique<Auditor>(reruns);
  started_ = stats_written_ = Clock::now();
  try {
    start_instances();
    loop();
  } catch (const ToolError& error) {
    failure_ = error.what();
  }
  finish();
  if (!failure_.empty()) {
    throw tool_failed(failure_);
  }
  if (findings_.groups().empty() && memory().instance[0].without_threads.load() > 0) {
    throw bad_usage(options_.program +
                    " ended without creating a thread, so there is nothing to schedule: check its "
                    "arguments and its input");
  }
  return findings_.groups().empty() ? kNothingFound : kBugFound;
}

void Campaign::resume() {
  std::optional<std::string> text = read_file(output_ / "stats.json");
  std::optional<Stats> stats = text ? stats_from_json(*text) : std::nullopt;
  if (!stats) {
    // Killed before it wrote any: there is still what it found.
    findings_.restore({});
    return;
  }
  if (stats->target != prepared_.original || stats->arguments != options_.arguments) {
    throw bad_usage("the campaign in " + output_.path().string() + " is of " + stats->target +
                    " with other arguments or another path: resume it with the same command");
  }
  before_ = std::move(*stats);
  unstable_ = before_.unstable;
  audited_ = before_.audited;
  findings_.restore(before_.findings);
}

void Campaign::set_up_memory() {
  memory_ = SharedMapping::create(sizeof(CampaignMemory));
  if (!memory_.valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
  CampaignMemory& m = memory();
  m.seed = seed_;
  m.scheduler = options_.scheduler;
  m.paper = options_.paper;
  m.timeouts = options_.timeouts;
  m.pct_depth = options_.pct_depth;
  m.instances = options_.instances;
  m.max_schedules = options_.max_schedules;
  m.schedules_before = before_.schedules;
  m.until_bug = options_.until_bug;
  m.audit = options_.audit;
  m.folder.set(output_.path().string());
  std::string corpus = options_.resume ? (output_ / "corpus").string() : options_.input;
  if (!corpus.empty()) {
    std::size_t rejected = 0;
    std::size_t loaded = load_corpus(corpus, rejected).size();
    if (rejected > 0) {
      progress_.say(std::to_string(rejected) + " files in " + corpus +
                    " are no schedules and are left out");
    }
    if (loaded > 0) {
      // A copy, since the folder may be our own and grow.
      fs::path copy = output_ / "inbox" / "corpus";
      std::error_code error;
      fs::copy(corpus, copy, error);
      if (error) {
        throw tool_failed("cannot copy " + corpus + ": " + error.message());
      }
      m.initial_corpus.set(copy.string());
    }
  }
}

void Campaign::start_instances() {
  std::error_code error;
  fs::remove_all(output_ / "afl", error);
  fs::path seeds = output_ / "afl" / ".seeds";
  fs::create_directories(seeds, error);
  if (int failed = write_file(seeds / "empty", encode_schedule(Schedule{})); failed != 0) {
    throw tool_failed("cannot write " + seeds.string() + ": " + std::strerror(failed));
  }
  AflFuzz::Settings s{
      .afl_fuzz = installation_.afl_fuzz,
      .mutator = installation_.mutator,
      .seeds = seeds.string(),
      .tree = (output_ / "afl").string(),
      .instances = options_.instances,
      .seed = seed_,
      .schedule_timeout_ms = options_.schedule_timeout_ms,
      .carrier = options_.carrier,
      .campaign_memory = memory_.path(),
      .library_path = prepared_.library_path,
      .command = {
          installation_.with_input,
          prepared_.target.standard_input.empty() ? "/dev/null" : prepared_.target.standard_input,
          installation_.launcher, prepared_.target.path}};
  s.command.insert(s.command.end(), prepared_.target.arguments.begin(),
                   prepared_.target.arguments.end());
  for (s.index = 0; s.index < options_.instances; ++s.index) {
    s.show_screen = options_.afl_ui && s.index == 0;
    instances_.push_back(std::make_unique<AflFuzz>(s));
  }
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
    check_limits();
    bool all_ended = true;
    for (auto& afl : instances_) {
      all_ended = all_ended && afl->ended();
    }
    if (all_ended) {
      check_instances();
      for (auto& afl : instances_) {
        take_reports(*afl);
      }
      return;
    }
    Stats now = stats();
    progress_.show(now);
    if (Clock::now() - stats_written_ > std::chrono::seconds(5)) {
      write_stats();
    }
  }
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
    case ReportKind::kSameFinding: findings_.count(report.finding, report.place); break;
    case ReportKind::kTrouble:
      failure_ = std::string(report.path.view());
      request_stop();
      break;
    case ReportKind::kAudit:
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
    if (!interrupted_) {
      auditor_->add(std::move(schedule), report.schedule);
    }
    return Reply::kConfirmed;
  }
  if (findings_.count(report.finding, report.place)) {
    return Reply::kConfirmed;
  }
  learn_modules();
  std::string divergence = first_divergence(*schedule.finding, confirmer_->run(schedule));
  if (!divergence.empty()) {
    ++unstable_;
    findings_.add_unstable(schedule, report.schedule, divergence);
    progress_.say("unstable: " + std::string(finding_name(report.finding)) + " at schedule " +
                  std::to_string(report.schedule) + " did not repeat: " + divergence);
    return Reply::kUnstable;
  }
  const FindingGroup& group = findings_.add(schedule, report.schedule);
  progress_.say("FOUND " + std::string(finding_name(group.kind)) + " at " +
                sources_.describe_finding(group.kind, group.place) + ", schedule " +
                std::to_string(group.first_schedule) + ": " + group.summary +
                "\n  replay: " + findings_.replay_command(group));
  write_stats();
  return Reply::kConfirmed;
}

void Campaign::take_audits() {
  for (Auditor::Verdict& verdict : auditor_->take_verdicts()) {
    ++audited_;
    if (!verdict.divergence.empty()) {
      ++unstable_;
      learn_modules();
      findings_.add_unstable(verdict.schedule, verdict.number, verdict.divergence);
      progress_.say("unstable: schedule " + std::to_string(verdict.number) +
                    " ran differently when repeated: " + verdict.divergence);
    }
  }
}

void Campaign::check_instances() {
  for (auto& afl : instances_) {
    if (!afl->ended() || stop_requested_ || any_died_) {
      continue;
    }
    take_reports(*afl);  // what it said before it ended
    if (memory().stop.load() != 0) {
      continue;  // it was done
    }
    any_died_ = true;
    afl->read_output();
    int status = afl->status();
    if (failure_.empty()) {
      failure_ = WIFSIGNALED(status)
                     ? "afl-fuzz was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                           ::strsignal(WTERMSIG(status)) + ")"
                     : "afl-fuzz gave up: " + afl->complaint();
      if (!findings_.groups().empty()) {
        failure_ += "; findings so far are in " + (output_ / "findings").string();
      }
    }
    request_stop();
  }
}

void Campaign::check_limits() {
  bool out_of_time = options_.max_seconds > 0 &&
                     Clock::now() - started_ > std::chrono::duration<double>(options_.max_seconds);
  if (interruptions.load() > 0 && !interrupted_) {
    interrupted_ = true;
    progress_.say("interrupted: ending");
  }
  if ((out_of_time || interrupted_) && !stop_requested_) {
    request_stop();
  }
  if (stop_requested_ && Clock::now() - stop_requested_at_ > kGrace) {
    for (auto& afl : instances_) {
      afl->kill();
    }
  }
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
  // Audits under way are part of the result, unless the user is in a hurry.
  while (failure_.empty() && interruptions.load() == 0 && !auditor_->idle()) {
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
  progress_.end();
  print_summary(last);
}

void Campaign::learn_modules() {
  for (auto& afl : instances_) {
    for (const ModuleRecord& module : afl->memory().modules) {
      sources_.add_module(module.hash, std::string(module.path.view()));
    }
  }
}

Stats Campaign::stats() {
  Stats s = before_;
  s.seconds += std::chrono::duration<double>(Clock::now() - started_).count();
  CampaignMemory& m = memory();
  for (std::uint32_t i = 0; i < options_.instances; ++i) {
    const InstanceStatus& status = m.instance[i];
    s.schedules += status.schedules.load();
    s.corpus += status.corpus.load();
    s.unresponsive += status.unresponsive.load();
    s.lost += status.lost.load();
    s.events += status.events.load();
    s.scheduling_points += status.scheduling_points.load();
  }
  s.rf_pairs = m.rf_pairs.size();
  s.rf_combinations = m.rf_combinations.size();
  s.unstable = unstable_;
  s.audited = audited_;
  s.seed = seed_;
  s.scheduler = scheduler_name(options_.scheduler);
  s.carrier = options_.carrier;
  s.target = prepared_.original;
  s.arguments = options_.arguments;
  s.findings = findings_.groups();
  if (!instances_.empty()) {
    const SharedMemory& shared = instances_[0]->memory();
    s.carrier = shared.carrier == 1 ? "fiber" : "thread";
    for (const ModuleRecord& module : shared.modules) {
      if ((module.flags & (kModulePatched | kModuleSystem)) == 0) {
        s.unpatched_modules.emplace_back(module.path.view());
      }
    }
    for (const auto& call : shared.unmodelled_calls) {
      s.unmodelled_calls.emplace_back(call.view());
    }
  }
  return s;
}

void Campaign::write_stats() {
  stats_written_ = Clock::now();
  fs::path path = output_ / "stats.json";
  if (int error = write_file(path, stats_to_json(stats())); error != 0) {
    throw tool_failed("cannot write " + path.string() + ": " + std::strerror(error));
  }
}

void Campaign::print_summary(const Stats& s) {
  std::printf(
      "%llu schedules in %.1f s (%.0f/s), %llu reads-from pairs in %llu combinations, corpus "
      "%llu\n",
      static_cast<unsigned long long>(s.schedules), s.seconds, s.per_second(),
      static_cast<unsigned long long>(s.rf_pairs),
      static_cast<unsigned long long>(s.rf_combinations),
      static_cast<unsigned long long>(s.corpus));
  for (const FindingGroup& group : s.findings) {
    std::printf("%s: %s at %s, first at schedule %llu, %llu times\n",
                (output_ / group.folder).c_str(), group.summary.c_str(),
                sources_.describe_finding(group.kind, group.place).c_str(),
                static_cast<unsigned long long>(group.first_schedule),
                static_cast<unsigned long long>(group.count));
  }
  if (s.findings.empty()) {
    std::printf("no bug found\n");
  }
  if (s.unresponsive > 0) {
    std::printf("%llu runs took longer than %u ms and were cut off (--schedule-timeout)\n",
                static_cast<unsigned long long>(s.unresponsive), options_.schedule_timeout_ms);
  }
  if (s.lost > 0) {
    std::printf("%llu runs ended without a report of the runtime\n",
                static_cast<unsigned long long>(s.lost));
  }
  if (s.unstable > 0) {
    std::printf("%llu schedules did not repeat: see %s\n",
                static_cast<unsigned long long>(s.unstable), (output_ / "unstable").c_str());
  }
  auto list = [](const char* title, const std::vector<std::string>& names) {
    if (!names.empty()) {
      std::printf("%s:", title);
      for (const std::string& name : names) {
        std::printf(" %s", fs::path(name).filename().c_str());
      }
      std::printf("\n");
    }
  };
  list("not patched, so not seen (--libs)", s.unpatched_modules);
  list("calls that are not modelled", s.unmodelled_calls);
}

}  // namespace rff
