#include "fuzzer/campaign/determinism.h"

#include <cstdio>

#include "fuzzer/common/status_line.h"
#include "fuzzer/common/words.h"
#include "fuzzer/run/interrupts.h"

namespace rff {
namespace {

constexpr std::uint64_t kSchedules = 20;
// The events of a run whose every access is compared.
constexpr std::size_t kMostEvents = 2'000'000;

Schedule schedule_of(const Options& options, const Prepared& prepared, std::uint64_t number) {
  Schedule s;
  s.target = prepared.target;
  s.timeouts = options.timeouts;
  s.points.racing = options.racing_points;
  s.points.stops = prepared.stops;
  s.scheduler = number % 2 == 0 ? SchedulerKind::kPos : SchedulerKind::kRandom;
  s.seed = hash_combine(options.seed.value_or(1), number);
  return s;
}

}  // namespace

std::optional<RunDifference> TwinRuns::compare(const Schedule& schedule) {
  auto run = [&](Run& result) {
    runner_.trace(shared_only_ ? Runner::Tracing::kShared : Runner::Tracing::kEverything);
    result = runner_.run(schedule);
    return surroundings_of(result);
  };
  Run first, second;
  Surroundings firsts = run(first);
  if (!shared_only_ && first.trace.events.size() > kMostEvents) {
    shared_only_ = true;
    firsts = run(first);
  }
  Surroundings seconds = run(second);
  runner_.trace(Runner::Tracing::kNone);
  for (const Trace::Module& module : first.trace.modules) {
    debug_.add_module(module.info.hash, module.path);
  }
  debug_.add_trace(first.trace, first.finding);
  std::optional<RunDifference> difference =
      difference_of({first, firsts}, {second, seconds}, debug_);
  debug_.forget_trace();
  return difference;
}

int check_determinism(const Options& options, const Installation& installation,
                      const Prepared& prepared) {
  catch_interrupts();
  std::uint64_t schedules = options.max_schedules != 0 ? options.max_schedules : kSchedules;
  std::uint64_t done = 0;
  StatusLine line({stdout, options.quiet ? StatusLine::Mode::kSilent : StatusLine::mode_for(stdout),
                   std::chrono::seconds(2)});
  Runner::Settings settings{.launcher = installation.launcher,
                            .carrier = options.carrier,
                            .schedule_timeout_ms = options.schedule_timeout_ms,
                            .tee_output = true};
  settings.tick = [&] {
    if (line.due()) {
      line.show("comparing: " + std::to_string(done) + " of " + count(schedules, "schedule"));
    }
  };
  Runner runner(settings);
  TwinRuns twins(runner);
  for (; done < schedules; ++done) {
    if (auto difference = twins.compare(schedule_of(options, prepared, done))) {
      line.clear();
      std::printf("schedule %s of %s did not repeat: %s\n", std::to_string(done + 1).c_str(),
                  std::to_string(schedules).c_str(), difference->text().c_str());
      return kToolFailed;
    }
  }
  line.clear();
  std::printf(
      "%s, each run twice: no difference%s\n", count(schedules, "schedule").c_str(),
      twins.shared_only() ? " in what threads share (runs are too long to compare more)" : "");
  return kNothingFound;
}

}  // namespace rff
