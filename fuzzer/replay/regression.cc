#include "fuzzer/replay/regression.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <set>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/common/words.h"
#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/replay/schedule_files.h"
#include "fuzzer/replay/target_locator.h"
#include "fuzzer/run/installation.h"
#include "fuzzer/run/interrupts.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Runs that only look at what there is in this build.
constexpr unsigned kRunsToLook = 8;

constexpr std::size_t kMostPoints = 4096;

enum class Judgement { kPassed, kFailed, kStale, kUnknown };

// One file, tried on one build.
class Trial {
 public:
  Trial(const RegressionFile& file, const Target& target, Runner& runner, DebugInfo& debug)
      : file_(file), runner_(runner), debug_(debug), names_(debug) {
    for (const EventName& name : file.events) {
      functions_.insert(name.function);
    }
    plain_.target = target;
    plain_.input = file.input;
    plain_.target.processors = static_cast<std::uint32_t>(file.processors);
    plain_.timeouts = file.timeouts;
    plain_.exit_is_finding = file.exit_is_finding;
    plain_.points.racing = file.racing_points;
    plain_.scheduler = SchedulerKind::kRff;
  }

  Judgement run(unsigned around) {
    look();
    if (judgement_ != Judgement::kPassed) {
      return judgement_;
    }
    for (Order order : {Order::kOfEvents, Order::kOfThreads}) {
      if (go_on()) {
        attempt(with_order(1, file_.order.size(), order));
      }
    }
    for (unsigned i = 0; i < around && go_on(); ++i) {
      attempt(mutant(i));
    }
    return judgement_ == Judgement::kPassed && !fits() ? Judgement::kStale : judgement_;
  }

  std::uint64_t runs() const { return runs_; }
  const std::string& what() const { return what_; }
  const std::optional<Schedule>& failing() const { return failing_; }
  std::size_t found() const { return found_; }
  std::size_t wanted() const {
    return file_.constraints.empty() ? file_.events.size() : file_.constraints.size();
  }

 private:
  bool go_on() const { return judgement_ == Judgement::kPassed; }
  bool fits() const { return wanted() > 0 && 2 * found_ >= wanted(); }

  // Finds the events of the file in this build.
  void look() {
    for (std::uint64_t seed = 1; seed <= kRunsToLook && go_on(); ++seed) {
      if (seed > 2 && resolve() == wanted()) {
        return;
      }
      Schedule s = plain_;
      s.seed = seed;
      attempt(s);
    }
  }

  std::size_t resolve() {
    events_.clear();
    for (const EventName& name : file_.events) {
      events_.push_back(names_.find(name, functions_));
    }
    constraints_ = {};
    found_ = 0;
    for (const RegressionConstraint& c : file_.constraints) {
      if (!events_[c.write] || !events_[c.read]) {
        continue;
      }
      ++found_;
      Constraint constraint{*events_[c.write], *events_[c.read], c.positive};
      if (constraint.valid()) {
        constraints_.insert(constraint);
      }
    }
    if (file_.constraints.empty()) {
      found_ = static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(),
                                                      [](const auto& e) { return e.has_value(); }));
    }
    return found_;
  }

  // By threads alone an order survives what compilers do to the code of a loop.
  enum class Order { kOfEvents, kOfThreads };

  // The first `length` steps of the order that led to the failure; then the scheduler decides.
  Schedule with_order(std::uint64_t seed, std::size_t length, Order order) {
    resolve();
    Schedule s = plain_;
    s.seed = seed;
    s.guided = true;
    for (std::size_t i = 0; i < std::min(length, file_.order.size()); ++i) {
      const RegressionStep& step = file_.order[i];
      auto thread = static_cast<std::uint16_t>(step.thread);
      if (order == Order::kOfThreads) {
        s.prefix.push_back({thread, EventCheck()});
      } else if (const std::optional<AbstractEvent>& e = events_[step.event]) {
        s.prefix.push_back({thread, EventCheck::of(e->id(), step.timed_out)});
      }
    }
    s.guided = !s.prefix.empty();
    return s;
  }

  // Turns by turns: only the pairs, part of the order, or the order with two steps exchanged.
  Schedule mutant(unsigned number) {
    std::mt19937_64 random(number + 1);
    std::size_t steps = file_.order.size();
    Schedule s = plain_;
    s.seed = number + 1;
    Order order = number % 2 == 0 ? Order::kOfEvents : Order::kOfThreads;
    switch (number % 3) {
      case 0: break;
      case 1: s = with_order(s.seed, random() % (steps + 1), order); break;
      default:
        s = with_order(s.seed, steps, order);
        if (s.prefix.size() > 1) {
          std::size_t at = random() % (s.prefix.size() - 1);
          std::swap(s.prefix[at], s.prefix[at + 1]);
        }
    }
    s.constraints = constraints_;
    return s;
  }

  // Runs stop only where accesses are known to race, so what one run has shown is a point of the
  // next ones.
  void learn(const Run& run) {
    names_.add(run.event_list);
    std::vector<CodeName>& sites = plain_.points.sites;
    for (const AbstractEvent& e : run.event_list) {
      auto at = std::lower_bound(sites.begin(), sites.end(), e.site);
      bool known = at != sites.end() && *at == e.site;
      if (op_accesses(e.op) && !known && sites.size() < kMostPoints) {
        sites.insert(at, e.site);
      }
    }
  }

  void attempt(const Schedule& schedule) {
    Run run = runner_.run(schedule);
    ++runs_;
    add_modules(run, debug_);
    learn(run);
    if (run.failed()) {
      judgement_ = Judgement::kFailed;
      std::string identity = identify(run.finding, debug_, IdentifiedBy::kFunctions).text();
      std::string recorded;
      for (const std::string& part : file_.failure) {
        recorded += (recorded.empty() ? "" : "\n") + part;
      }
      what_ = readable_summary(run.finding, debug_) +
              (identity == recorded ? "" : " (not as before: " + file_.kind + ")");
      failing_ = schedule;
      failing_->finding = run.finding;
    } else if (run.killed || run.outcome == RunOutcome::kUnresponsive) {
      judgement_ = Judgement::kUnknown;
      what_ = "a run did not end in time (--timeout)";
    }
  }

  const RegressionFile& file_;
  Runner& runner_;
  DebugInfo& debug_;
  EventNames names_;
  std::set<std::string> functions_;  // that the file names
  Schedule plain_;
  std::vector<std::optional<AbstractEvent>> events_;
  AbstractSchedule constraints_;
  std::size_t found_ = 0;
  std::uint64_t runs_ = 0;
  Judgement judgement_ = Judgement::kPassed;
  std::string what_;
  std::optional<Schedule> failing_;
};

std::vector<fs::path> files_in(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw bad_usage("--regression " + folder + ": no such folder");
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".bin") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw bad_usage("--regression " + folder +
                    ": no NAME.bin there: write one with rff-replay --export");
  }
  return files;
}

class Regressions {
 public:
  explicit Regressions(const ReplayOptions& options)
      : options_(options),
        runner_({.launcher = Installation::find_launcher(),
                 .carrier = options.carrier,
                 .timeout = options.timeout,
                 .tracing = Runner::Tracing::kShared,
                 .tee_output = true}) {}

  int check() {
    std::vector<std::pair<fs::path, RegressionFile>> files;
    for (const fs::path& path : files_in(options_.regression)) {
      std::string error;
      std::optional<RegressionFile> file = decode_regression(read_file(path).value_or(""), error);
      if (!file) {
        throw bad_usage(path.string() + ": " + error);
      }
      files.emplace_back(path, std::move(*file));
    }
    for (const auto& [path, file] : files) {
      check(path, file);
    }
    std::printf("%s: %u failed, %u stale, %u not judged\n",
                count(files.size(), "regression").c_str(), failed_, stale_, unknown_);
    if (failed_ > 0) {
      return kBugFound;
    }
    if (unknown_ > 0 || (stale_ > 0 && options_.strict)) {
      return kToolFailed;
    }
    return stale_ > 0 ? static_cast<int>(options_.skip_status) : kNothingFound;
  }

 private:
  void check(const fs::path& path, const RegressionFile& file) {
    Target recorded;
    recorded.arguments = file.arguments;
    std::vector<std::string> command = options_.command;
    if (command.size() == 1) {
      command.insert(command.end(), file.arguments.begin(), file.arguments.end());
    }
    recorded.standard_input = file.has_input ? path.string() + ".input" : "";
    LocatedTarget located = locate_target(recorded, path, command, {});
    DebugInfo debug;
    debug.add_module(module_hash(located.target.path), located.target.path);
    Trial trial(file, located.target, runner_, debug);
    std::string name = path.filename().string();
    switch (trial.run(options_.around)) {
      case Judgement::kPassed:
        std::printf("%s: passed (%s)\n", name.c_str(), count(trial.runs(), "run").c_str());
        break;
      case Judgement::kFailed:
        ++failed_;
        std::printf("%s: FAILED at run %llu: %s\n", name.c_str(),
                    static_cast<unsigned long long>(trial.runs()), trial.what().c_str());
        keep(*trial.failing());
        break;
      case Judgement::kStale:
        ++stale_;
        std::printf(
            "%s: stale: %zu of %zu of what led to it is in this build; find and export it "
            "again, or remove it\n",
            name.c_str(), trial.found(), trial.wanted());
        break;
      case Judgement::kUnknown:
        ++unknown_;
        std::printf("%s: not judged: %s\n", name.c_str(), trial.what().c_str());
        break;
    }
  }

  void keep(const Schedule& schedule) {
    if (!options_.output.empty() && failed_ == 1) {
      write_or_throw(options_.output, encode_schedule(schedule));
      std::printf("  its schedule: %s\n", options_.output.c_str());
    }
  }

  const ReplayOptions& options_;
  Runner runner_;
  unsigned failed_ = 0, stale_ = 0, unknown_ = 0;
};

}  // namespace

int check_regressions(const ReplayOptions& options) {
  check_writable(options.output);
  catch_interrupts();
  return Regressions(options).check();
}

}  // namespace rff
