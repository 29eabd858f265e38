#include "fuzzer/drive/preparation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/debug/debug_link.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/patching.h"
#include "fuzzer/run/runner.h"
#include "fuzzer/run/target_file.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

std::string input_file(const std::string& given) {
  if (given.empty()) {
    return "";
  }
  if (::access(given.c_str(), R_OK) != 0) {
    throw bad_usage("cannot read " + given + ": " + std::strerror(errno));
  }
  return fs::absolute(given).lexically_normal().string();
}

void set_points(SchedulingPoints& points, const std::set<std::uint64_t>& packed) {
  points.sites.clear();
  points.handed_over.clear();
  for (std::uint64_t p : packed) {
    PointName point = PointName::unpack(p);
    (point.handed_over ? points.handed_over : points.sites).push_back(point.site);
  }
  std::sort(points.sites.begin(), points.sites.end());
  std::sort(points.handed_over.begin(), points.handed_over.end());
}

// Makes a few runs, so that threads stop also where they touch shared memory for the first time.
// The first run, without preemption, shows the usual exit status.
void learn_points(Schedule& base, const std::string& launcher) {
  constexpr int kMostRuns = 40;
  constexpr int kWithoutNews = 8;
  constexpr SchedulerKind kSchedulers[] = {SchedulerKind::kRandom, SchedulerKind::kPos,
                                           SchedulerKind::kRoundRobin, SchedulerKind::kPct};
  constexpr int kLeastRuns = 10;                         // also if they take long
  constexpr std::chrono::seconds kEnough{2}, kMost{15};  // time for all
  constexpr double kLongestRun = 10;                     // seconds; a server does not end
  Runner runner({.launcher = launcher, .timeout = kLongestRun, .tee_output = true});
  auto began = std::chrono::steady_clock::now();
  std::set<std::uint64_t> known;
  int quiet = 0;
  for (int i = 0; i < kMostRuns && quiet < kWithoutNews; ++i) {
    Schedule trial = base;
    trial.scheduler = i == 0 ? SchedulerKind::kSteady : kSchedulers[i % std::size(kSchedulers)];
    trial.seed = base.seed + static_cast<std::uint64_t>(i);
    Run run = runner.run(trial);
    if (i == 0 && WIFEXITED(run.wait_status) && WEXITSTATUS(run.wait_status) == 0) {
      base.exit_is_finding = true;
    }
    std::size_t before = known.size();
    std::shared_ptr<SharedMemory> memory = runner.take_memory();
    known.insert(memory->points.begin(), memory->points.end());
    set_points(base.points, known);
    quiet = known.size() == before ? quiet + 1 : 0;
    auto taken = std::chrono::steady_clock::now() - began;
    if (taken > (i + 1 < kLeastRuns ? kMost : kEnough)) {
      break;
    }
  }
}

PreparedDrive prepare_program(const DriveOptions& options, const std::string& launcher) {
  PreparedDrive p;
  TargetFile file = TargetFile::open(options.command[0]);
  Target& target = p.base.target;
  p.program = target.path = file.path;
  target.arguments.assign(options.command.begin() + 1, options.command.end());
  target.build_id = file.build_id;
  target.processors = options.processors.value_or(kDefaultProcessors);
  target.standard_input = input_file(options.input);
  target.input_digest = input_digest(target.arguments, target.standard_input);
  if (!file.patched) {
    p.patched_copy = std::make_shared<TemporaryFolder>();
    target.path = *p.patched_copy / (fs::path(file.path).filename().string() + ".patched");
    patch_file(Installation::find_instrument(), file.path, target.path);
    keep_debug_link(file.path, target.path);
  }
  p.base.scheduler = SchedulerKind::kSteady;
  p.base.timeouts = kDefaultPreemption;
  p.base.seed = options.seed;
  p.base.points.racing = true;
  learn_points(p.base, launcher);
  return p;
}

// The program may have been patched into a temporary folder. rff-replay patches it again.
std::string lasting_program(const DriveOptions& options, const LocatedTarget& located,
                            const Target& recorded) {
  if (located.patched_copy == nullptr) {
    return located.target.path;
  }
  return TargetFile::open(options.command.empty() ? recorded.path : options.command[0]).path;
}

Schedule load_given(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw bad_usage("cannot read " + path + ": " + std::strerror(ENOENT));
  }
  try {
    return load_schedule(schedule_file(path));
  } catch (const ToolError& e) {
    bool program = ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error);
    throw program ? bad_usage(path + " is no schedule: a program follows --, as in rff-drive -- " +
                              shell_word(path))
                  : e;
  }
}

PreparedDrive prepare_schedule(const DriveOptions& options, const std::string& launcher) {
  PreparedDrive p;
  Schedule given = load_given(options.schedule);
  Target recorded = given.target;
  LocatedTarget located = locate_target(recorded, schedule_file(options.schedule), options.command,
                                        patch_choice(given));
  given.target = located.target;
  if (std::string input = input_file(options.input); !input.empty()) {
    given.target.standard_input = input;
  }
  p.program = lasting_program(options, located, recorded);
  p.notes = located.notes;
  p.patched_copy = located.patched_copy;
  Runner runner({.launcher = launcher, .tee_output = true});
  Run run = runner.run(given);
  p.given = run.finding.decisions;
  p.follows = true;
  p.given_end = run.failed() ? finding_words(run.finding) : "it ends without a failure";
  if (run.outcome == RunOutcome::kDiverged || run.finding.failure.divergence) {
    p.notes.push_back("the program does not follow the whole schedule");
  }
  p.base = std::move(given);
  p.base.prefix.clear();
  p.base.guided = false;
  p.base.constraints = {};
  p.base.finding.reset();
  // The systematic search also stops where a thread is alone, and so must runs that follow it.
  if (p.base.scheduler != SchedulerKind::kSystematic) {
    p.base.scheduler = SchedulerKind::kSteady;
  }
  p.base.exploration.order.clear();
  p.base.exploration.asleep.clear();
  return p;
}

}  // namespace

PreparedDrive prepare_drive(const DriveOptions& options, const std::string& launcher) {
  return options.schedule.empty() ? prepare_program(options, launcher)
                                  : prepare_schedule(options, launcher);
}

}  // namespace rff
