// Finds out by experiment what a failure needs: each reads-from pair turned round, each switch left
// out, and run again.
#pragma once

#include <cstdint>
#include <functional>

#include "fuzzer/replay/explanation.h"
#include "fuzzer/replay/replay_run.h"

namespace rff {

class NeedTester {
 public:
  NeedTester(const Schedule& schedule, const Run& failing, ReplayRunner& runner)
      : schedule_(schedule), failing_(failing), runner_(runner) {}

  // Marks events of the story, those closest to the failure first, within `max_runs` runs. Calls
  // `progress` with the runs so far before each experiment. Returns the runs used.
  std::uint64_t test(std::vector<StoryEvent>& story, std::uint64_t max_runs,
                     const std::function<void(std::uint64_t)>& progress = {});

 private:
  Need test_pair(const StoryEvent& read);
  Need test_switch(const StoryEvent& after);
  bool enough() const { return runner_.runs() >= last_run_; }
  Run try_order(const std::vector<std::uint16_t>& order);

  const Schedule& schedule_;
  const Run& failing_;
  ReplayRunner& runner_;
  std::vector<std::uint16_t> order_;
  std::uint64_t last_run_ = 0;
};

}  // namespace rff
