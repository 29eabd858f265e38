// The start of a campaign: resumes an earlier one, creates the shared memory, and starts (and
// restarts) the instances of afl-fuzz.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fuzzer/afl/instance.h"
#include "fuzzer/campaign/campaign.h"
#include "fuzzer/campaign/inputs.h"
#include "fuzzer/campaign/plain_run.h"
#include "fuzzer/campaign/processors.h"
#include "fuzzer/common/corpus_folder.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/words.h"
#include "fuzzer/run/launch.h"

namespace rff {

namespace fs = std::filesystem;

namespace {

// An instance is not restarted after kEarlyDeaths consecutive deaths within kLongLife schedules.
constexpr int kEarlyDeaths = 3;
constexpr std::uint64_t kLongLife = 100;

}  // namespace

void Campaign::resume() {
  std::optional<Stats> stats = read_stats(output_);
  if (!stats) {
    // The campaign was killed before it wrote statistics; its findings are still on disk.
    findings_.restore({});
    return;
  }
  before_ = std::move(*stats);
  unstable_ = before_.unstable;
  audited_ = before_.audited;
  findings_.restore(before_.findings);
}

ExplorationIdentity Campaign::resume_exploration() {
  if (options_.search.scheduler != SchedulerKind::kSystematic) {
    return {};
  }
  ExplorationIdentity identity =
      exploration_identity(options_, installation_, prepared_, before_.exit_is_bug);
  std::optional<ExplorationFile> file;
  if (options_.resume) {
    file = exploration_to_resume(output_, options_, identity);
  }
  if (file) {
    seed_ = file->seed;
    // Statistics are written less often.
    before_.schedules = std::max(before_.schedules, file->explored);
    before_.unmodelled_calls = file->unmodelled_calls;
    before_.unpatched_modules = file->unpatched_modules;
  }
  return identity;
}

// Runs the program without scheduling, unless the resumed campaign has done so.
void Campaign::run_plainly() {
  // A program with properties would run each of them a thousand times.
  bool properties = prepared_.inputs.input.way == ProgramInput::Way::kProperty;
  if (before_.plain_seconds || !options_.plain_run || properties) {
    before_.plain_status = properties ? 0 : before_.plain_status;
    decide_on_exit_status("");
    return;
  }
  double limit = timeout_ms_ / 1000.0;
  if (options_.max_seconds > 0) {
    limit = std::min(limit, options_.max_seconds);
  }
  Target target = prepared_.target;
  std::string variable;
  if (prepared_.inputs.given()) {
    variable = give_first_input(prepared_.inputs, output_, target);
  }
  auto run_once = [&] {
    return rff::run_plainly(prepared_.plain, target, variable, limit, [&] {
      if (!options_.quiet) {
        char text[128];
        std::snprintf(text, sizeof text,
                      "running the program by itself (at most %.3g s; --no-plain-run: never)",
                      limit);
        progress_.say(text);
      }
    });
  };
  PlainRun run = run_once();
  if (!run.ran) {
    throw bad_usage(prepared_.plain + " cannot be started: " + std::strerror(run.error));
  }
  std::string how_it_ended = run.how_it_ended();
  // A program that fails now and then may do so right now: then its next runs tell what is right.
  constexpr int kMoreRuns = 5;
  constexpr double kShort = 0.5;
  for (int i = 0; i < kMoreRuns && run.seconds < kShort && run.status().value_or(0) != 0; ++i) {
    PlainRun next = run_once();
    if (next.status() == 0) {
      how_it_ended += ", and " + next.how_it_ended() + " when run again";
      run = std::move(next);
    }
  }
  fs::path file = output_ / "plain" / "output.txt";
  if (int error = write_file(file, run.output_tail); error != 0) {
    throw tool_failed("cannot write " + file.string() + ": " + std::strerror(error));
  }
  before_.plain_status = run.status();
  before_.plain_seconds = run.seconds;
  decide_on_exit_status(how_it_ended);
}

// A schedule may take much longer than the plain run: threads run one at a time, and their accesses
// are tracked. A program that did not end by itself says nothing about its schedules.
void Campaign::set_time_limit() {
  constexpr double kTimesPlain = 20;
  if (options_.schedule_timeout_ms == 0 && before_.plain_seconds && before_.plain_status) {
    timeout_ms_ = std::max(timeout_ms_,
                           static_cast<std::uint32_t>(*before_.plain_seconds * 1000 * kTimesPlain));
  }
  minimization_.set_timeout(timeout_ms_);
}

void Campaign::decide_on_exit_status(const std::string& how_it_ended) {
  bool is_auto = options_.exit_is_bug == "auto";
  before_.exit_is_bug = is_auto ? before_.plain_status == 0 : options_.exit_is_bug == "yes";
  if (how_it_ended.empty() || options_.quiet) {
    return;
  }
  char time[32];
  std::snprintf(time, sizeof time, "%.2f s", *before_.plain_seconds);
  std::string line =
      "run by itself: " + how_it_ended + (before_.plain_status ? std::string(" in ") + time : "");
  if (is_auto && before_.exit_is_bug) {
    line += "; a run that ends with another one is a bug (unless --exit-is-bug=no)";
  } else if (is_auto) {
    line += ", so the exit status of runs is not looked at (--exit-is-bug: other than 0 is a bug)";
  }
  progress_.say(line);
}

void Campaign::set_up_memory() {
  memory_ = SharedMapping::create(sizeof(CampaignMemory));
  if (!memory_.valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
  CampaignMemory& m = memory();
  if (options_.search.scheduler == SchedulerKind::kSystematic && options_.instances > 1) {
    exchange_ = SharedMapping::create((options_.instances - 1) * sizeof(PlanChannel));
    if (!exchange_.valid()) {
      throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
    }
    m.exchange.set(exchange_.path());
  }
  m.seed = seed_;
  m.search = options_.search;
  m.timeouts = options_.timeouts;
  m.racing_points = options_.racing_points;
  m.checks_memory = options_.checks.has(kCheckMemory);
  m.exit_is_finding = before_.exit_is_bug;
  m.instances = options_.instances;
  m.max_schedules = options_.max_schedules;
  m.schedules_before = before_.schedules;
  m.until_bug = options_.until_bug;
  m.audit = options_.audit;
  m.folder.set(output_.path().string());
  if (!prepared_.stops.empty()) {
    Schedule chosen;
    chosen.points.stops = prepared_.stops;
    fs::path file = output_ / "stop-points.bin";
    if (int error = write_file(file, encode_schedule(chosen)); error != 0) {
      throw tool_failed("cannot write " + file.string() + ": " + std::strerror(error));
    }
    m.stop_points.set(file.string());
  }
  if (prepared_.inputs.given()) {
    m.inputs.set(write_input_plan(prepared_.inputs, output_));
  }
  std::string corpus = options_.resume ? (output_ / "corpus").string() : options_.corpus;
  if (!corpus.empty()) {
    take_corpus(corpus, "corpus");
  }
}

// Makes instances that start from now on begin with the schedules of `folder`. `name` is the name
// of the copy.
void Campaign::take_corpus(const std::string& folder, const std::string& name) {
  if (options_.search.scheduler == SchedulerKind::kSystematic) {
    return;  // it makes each run itself
  }
  CorpusFolder corpus = load_corpus(folder);
  constexpr std::size_t kNamed = 5;
  for (std::size_t i = 0; i < std::min(kNamed, corpus.left_out.size()); ++i) {
    progress_.say("left out of " + folder + ": " + corpus.left_out[i]);
  }
  if (corpus.left_out.size() > kNamed) {
    progress_.say("left out of " + folder + ": " + count(corpus.left_out.size() - kNamed, "file") +
                  " more");
  }
  if (corpus.files.empty()) {
    return;
  }
  // The folder may be our own corpus and grow, so it is copied.
  fs::path copy = output_ / "inbox" / name;
  std::error_code error;
  fs::create_directories(copy, error);
  for (const fs::path& file : corpus.files) {
    if (!fs::copy_file(file, copy / file.filename(), error)) {
      throw tool_failed("cannot copy " + file.string() + ": " + error.message());
    }
  }
  memory().initial_corpus.set(copy.string());
}

AflFuzz::Settings Campaign::instance_settings(std::uint32_t index) {
  return {
      .afl_fuzz = installation_.afl_fuzz,
      .mutator = installation_.mutator,
      .seeds = (output_ / "afl" / ".seeds").string(),
      .tree = (output_ / "afl").string(),
      .index = index,
      .instances = options_.instances,
      .restarts = memory().instance[index].restarts.load(),
      .seed = seed_,
      .schedule_timeout_ms = timeout_ms_,
      .carrier = options_.carrier,
      .campaign_memory = memory_.path(),
      .show_screen = options_.afl_ui && index == 0,
      .small_map = !prepared_.inputs.given(),
      .processor = lives_[index].processor,
      .target = launch_command(installation_.launcher, prepared_.target, prepared_.inputs.input)};
}

void Campaign::start_instances() {
  std::error_code error;
  fs::remove_all(output_ / "afl", error);
  fs::path seeds = output_ / "afl" / ".seeds";
  fs::create_directories(seeds, error);
  if (int failed = write_file(seeds / "empty", encode_schedule(Schedule{})); failed != 0) {
    throw tool_failed("cannot write " + seeds.string() + ": " + std::strerror(failed));
  }
  std::vector<int> processors = free_processors();
  for (std::uint32_t i = 0; i < options_.instances; ++i) {
    lives_.push_back({.processor = i < processors.size() ? processors[i] : -1});
    instances_.push_back(std::make_unique<AflFuzz>(instance_settings(i)));
  }
}

void Campaign::check_instances() {
  std::size_t left = instances_.size();
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    if (lives_[i].dead) {
      --left;
      continue;
    }
    if (!instances_[i]->ended() || stop_requested_) {
      continue;
    }
    take_reports(*instances_[i]);  // reports that it sent before it ended
    if (memory().stop.load() != 0) {
      continue;  // it ended normally
    }
    std::string cause = instances_[i]->cause_of_death();
    if (may_start_again(i)) {
      if (!told_of_restart_) {
        told_of_restart_ = true;
        progress_.say(cause + ": started again, it goes on with what was found so far");
      }
      start_again(i);
      continue;
    }
    lives_[i].dead = true;
    // The first instance explores for all.
    left = i == 0 && options_.search.scheduler == SchedulerKind::kSystematic ? 1 : left;
    if (--left > 0) {
      progress_.say(cause + ": going on with " + count(left, "instance"));
    } else if (failure_.empty()) {
      failure_ = cause;
    }
  }
  if (left == 0) {
    request_stop();
  }
}

// Gives up on a program that does not reach its first thread in time, or of which the runtime says
// in every run that it cannot be run.
void Campaign::check_start() {
  if (Stats now = stats(); now.lost > 0 && now.lost == now.schedules && failure_.empty()) {
    failure_ = why_not_runnable();
    if (!failure_.empty()) {
      request_stop();
    }
  }
  std::chrono::milliseconds limit(timeout_ms_);
  for (std::size_t i = 0; i < instances_.size() && !stop_requested_; ++i) {
    const SharedMemory& shared = instances_[i]->memory();
    std::optional<Clock::time_point>& since = lives_[i].program_started;
    if (shared.runtime_started.load() == 0 || shared.fork_point != 0) {
      since.reset();
    } else if (!since) {
      since = Clock::now();
    } else if (Clock::now() - *since > limit) {
      failure_ = options_.program + " has not made a thread after " + std::to_string(timeout_ms_) +
                 " ms: it waits or loops before its first one (--schedule-timeout gives it more "
                 "time)";
      request_stop();
      instances_[i]->kill();
    }
  }
}

std::string Campaign::why_not_runnable() const {
  for (const auto& afl : instances_) {
    if (std::string_view why = afl->memory().panic.view(); !why.empty()) {
      return "the program cannot be run: " + std::string(why);
    }
  }
  return "";
}

// An instance that cannot begin, or that repeatedly dies early, would do so forever.
bool Campaign::may_start_again(std::uint32_t index) const {
  const Lives& lives = lives_[index];
  bool began = memory().instance[index].schedules.load() > lives.schedules_at_start;
  return (began || WIFSIGNALED(instances_[index]->status())) && lives.early_deaths < kEarlyDeaths;
}

// Restarts an instance. Its search died with the process; the new one begins with the corpus on
// disk.
void Campaign::start_again(std::uint32_t index) {
  Lives& lives = lives_[index];
  InstanceStatus& status = memory().instance[index];
  bool early = status.schedules.load() - lives.schedules_at_start < kLongLife;
  lives.early_deaths = early ? lives.early_deaths + 1 : 0;
  lives.schedules_at_start = status.schedules.load();
  memory().claimed.fetch_sub(status.in_flight.exchange(0));
  status.corpus.store(0);
  std::uint32_t restarts = status.restarts.fetch_add(1) + 1;
  take_corpus((output_ / "corpus").string(),
              "corpus-" + std::to_string(index) + "-" + std::to_string(restarts));
  instances_[index].reset();
  std::error_code error;
  fs::remove_all(output_ / "afl" / "default", error);  // afl-fuzz would not overwrite it
  instances_[index] = std::make_unique<AflFuzz>(instance_settings(index));
}

}  // namespace rff
