// Finds out by experiment what a failure needs: each reads-from pair reversed, each switch left
// out, and run again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/run/runner.h"

namespace rff {

// The default limit, which keeps the explanation fast.
inline constexpr std::uint64_t kRunsForNeeds = 40;
inline constexpr std::chrono::seconds kTimeForNeeds{20};

// The extent of the experiments, so that a reader can judge the results.
struct Experiments {
  enum class End { kDone, kRuns, kTime, kInterrupt, kOrderIsNotEnough };
  std::uint64_t runs = 0;
  std::size_t tested = 0;    // pairs and switches with a result
  std::size_t untested = 0;  // those without a result: the budget was used up
  End end = End::kDone;
};

class NeedTester {
 public:
  using Clock = std::chrono::steady_clock;
  struct Budget {
    std::uint64_t runs;
    std::chrono::seconds time = std::chrono::hours(24 * 365);
  };
  NeedTester(const Schedule& schedule, const Run& failing, Runner& runner, DebugInfo& debug)
      : schedule_(schedule), failing_(failing), runner_(runner), debug_(debug) {}

  // Tests and marks events of the story, those closest to the failure first. Calls `progress` with
  // the number of runs before each experiment. An interrupt ends the experiments.
  Experiments test(std::vector<StoryEvent>& story, const Budget& budget,
                   const std::function<void(std::uint64_t)>& progress = {});

 private:
  void test_all(std::vector<StoryEvent>& story, const std::function<void(std::uint64_t)>& progress);
  Need test_pair(const StoryEvent& read);
  // `until` is the next event of the preempted thread in the story; 0 if there is none.
  Need test_switch(const StoryEvent& after, std::uint64_t until);
  bool enough();
  Run try_order(const std::vector<std::uint16_t>& order);
  bool same_failure(const Run& run);

  const Schedule& schedule_;
  const Run& failing_;
  Runner& runner_;
  DebugInfo& debug_;
  std::vector<std::uint16_t> order_;
  std::uint64_t first_run_ = 0;
  Budget budget_{};
  Clock::time_point began_;
  Experiments result_;
};

}  // namespace rff
