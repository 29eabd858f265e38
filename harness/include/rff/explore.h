// Many runs of a piece of code, each under another schedule: for unit tests in any framework.
//
//   rff::Exploration e = rff::explore([] { … threads … assert(…); }, {.runs = 5000});
//   if (e.failed) { puts(e.report.c_str()); }
//
// The body runs in this process; see rff/harness.h for what a run is.
#pragma once

#include <rff/harness.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace rff {

inline constexpr const char* pos = "pos";
inline constexpr const char* random = "random";
inline constexpr const char* pct = "pct";

struct ExploreOptions {
  std::uint64_t runs = 1000;
  double seconds = 0;             // 0: no limit of time
  std::string scheduler = "pos";  // see rff_schedule_from_seed
  std::uint64_t seed = 1;         // of the first run; the next one has the next number
  std::string replay;             // not empty: one run, of this line or file (RFF_REPLAY)
  bool isolate = false;           // the runs happen in a child of this process
  // Asked after each run: whether the body has failed in a way that only its framework knows.
  std::function<bool()> failed = {};
};

struct Exploration {
  std::uint64_t runs = 0;
  bool failed = false;
  std::string kind;  // "deadlock", "assert", "crash", …, "check" if `failed` said so, "exception"
  std::string report;  // for people; ends with how to repeat the run
  std::string replay;  // the line for ExploreOptions::replay and RFF_REPLAY
};

namespace detail {
Exploration explore(const std::function<void()>& body, const ExploreOptions& options);
// Reads RFF_RUNS, RFF_SECONDS, RFF_SCHEDULER, RFF_SEED, RFF_ISOLATE=fork from the environment and
// --rff_runs=, --rff_seconds=, --rff_scheduler=, --rff_seed=, --rff_replay= from the command line.
ExploreOptions given_options(ExploreOptions options);
}  // namespace detail

// Runs the body until it fails or the options' number of runs is reached. An exception that leaves
// the body is a failure.
template <typename Body>
Exploration explore(Body&& body, const ExploreOptions& options = {}) {
  return detail::explore(std::function<void()>(std::forward<Body>(body)), options);
}

}  // namespace rff
