// The search for inputs and schedules together. Every input of the corpus has a search for
// schedules of its own (FuzzCore), since what schedules show depends on the input. Between them new
// inputs are made and run; one that shows new control flow becomes a member, and its schedules are
// searched for a while at once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzzer/common/input_plan.h"
#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/core/input_corpus.h"

namespace rff {

class Pairing {
 public:
  Pairing(const FuzzPlan& plan, InputPlan inputs);

  // Adds a pair to run before any proposal.
  void add_initial(const Schedule& schedule);
  Schedule next_schedule(std::uint32_t points_version);
  FuzzCore::Verdict report(const Schedule& schedule, const RunSummary& run,
                           const InputTraits& traits);
  void add_points(std::span<const std::uint64_t> sites);

  const InputCorpus& inputs() const { return inputs_; }
  std::uint64_t discarded() const { return discarded_; }

  // The number of schedules that a new member gets before others are considered.
  static constexpr std::uint32_t kBurst = 12;
  // The number of searches that are kept; the one that was not used for longest is dropped.
  static constexpr std::size_t kMostSearches = 64;
  // The number of runs of a member whose comparisons are looked at, and those that show new control
  // flow.
  static constexpr std::uint64_t kLearningRuns = 8;

 private:
  struct Search {
    std::unique_ptr<FuzzCore> core;
    std::uint64_t schedules = 0;  // run so far
    std::uint64_t reports = 0;
    std::uint64_t news = 0;  // runs that showed new reads-from pairs
    std::uint64_t last_used = 0;
  };

  Schedule with(const std::string& bytes, Schedule schedule) const;
  Schedule plain_schedule(std::uint32_t points_version);
  Schedule search(std::size_t member, std::uint32_t points_version);
  Schedule try_input(std::uint32_t points_version);
  std::size_t choose_member();
  bool mutates_now();
  FuzzCore& core_of(std::size_t member);
  std::optional<std::size_t> join(const Schedule& schedule);

  FuzzPlan plan_;
  InputPlan given_;
  InputRules rules_;
  Random random_;
  InputCorpus inputs_;
  FuzzCore set_up_;               // gives a schedule what does not depend on its input
  std::vector<Search> searches_;  // one for each member
  std::vector<std::uint64_t> points_;
  std::deque<Schedule> initial_;
  std::size_t next_first_ = 0;
  std::size_t burst_of_ = 0;
  std::uint32_t burst_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t mutants_since_join_ = 0;
  std::uint64_t discarded_ = 0;
};

}  // namespace rff
