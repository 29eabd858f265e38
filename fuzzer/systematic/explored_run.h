// A run as the systematic search sees it: steps, what each of them touched, who else could have
// made it, and which of them happen before which.
//
// A step is what a thread does from one scheduling point to its next. Two steps conflict if they
// touch the same bytes and one writes, or the same synchronization object; the order of conflicting
// steps of different threads is all that can make a difference. Runs with the same order of
// conflicting steps are one trace class (Mazurkiewicz).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "fuzzer/systematic/bits.h"
#include "fuzzer/systematic/explored_step.h"

namespace rff {

class ExploredRun {
 public:
  // How much is worked out of a run.
  enum class Detail : std::uint8_t {
    kSteps,      // what was chosen, in order: for interleavings of chosen stop points
    kReadsFrom,  // also who read from whom: for interleavings
    kOrder,      // also which steps happened before which: for classes
  };
  // `chosen_points`: the user chose the scheduling points.
  explicit ExploredRun(const RunSummary& run, bool chosen_points = false,
                       Detail detail = Detail::kOrder);

  // Why the record cannot be relied on; empty if it can.
  const std::string& problem() const { return problem_; }

  // Whether a thread that repeats a loop had to wait although it could have gone on, or went on for
  // very long.
  bool cut_loop() const { return cut_loop_; }

  // Whether the run failed in what is no step, so that nothing says what could have come before.
  bool failed_outside_steps() const { return failed_outside_steps_; }

  // Whether a thread read what another one writes in what is no step.
  bool reads_outside_steps() const { return reads_outside_steps_; }

  // Whether what two threads did conflicts, nothing but the scheduler orders it, and one of the two
  // was no part of a step. Happens only where the user chose the scheduling points, and is looked
  // for only there.
  bool acts_outside_steps() const { return acts_outside_steps_; }

  const std::vector<ExploredStep>& steps() const { return steps_; }
  // The steps that the threads were about to make when the run ended: at most one of each.
  const std::vector<ExploredStep>& pending() const { return pending_; }

  // Whether step i happens before step j; j may be that of a pending step, steps().size() + n.
  bool before(std::size_t i, std::size_t j) const { return i != j && closure_[j].contains(i); }
  // The steps that step j, or a pending one, races with: the two conflict, nothing else orders
  // them, and j could have come first. `certain`: that is known.
  struct Race {
    std::size_t with = 0;
    bool certain = true;
  };
  std::vector<Race> races_of(std::size_t j) const;
  // The steps that come before step j, which may be a pending one, by the order of each thread, by
  // creations, joins and wake-ups alone.
  const Bits& before_by_threads(std::size_t j) const { return by_threads_[j]; }
  // A hash of which step read from which: runs with the same one are one reads-from class.
  std::uint64_t reads_from() const { return reads_from_; }

  const ExploredStep& at(std::size_t j) const {
    return j < steps_.size() ? steps_[j] : pending_[j - steps_.size()];
  }

 private:
  enum class Possible { kYes, kNo, kUnknown };
  Bits before_wait(std::size_t j) const;
  Possible could_come_first(std::size_t j, std::size_t i) const;
  bool ends_wait(std::size_t i, std::size_t j) const;
  bool wait_ends_without(std::size_t i, std::size_t j) const;
  bool acts_between(std::uint16_t thread, std::size_t i, std::size_t j) const;

  class Reader;
  void order_steps(const std::vector<ExploredStep>& blocks, std::span<const std::size_t> number);
  void order_pending();
  void find_reads_from(const std::vector<ExploredStep>& blocks,
                       std::span<const std::size_t> number);
  bool reads_what_others_write(const ExploredStep& block,
                               const std::vector<ExploredStep>& blocks) const;

  std::string problem_;
  bool cut_loop_ = false;
  bool failed_outside_steps_ = false;
  bool reads_outside_steps_ = false;
  std::uint64_t reads_from_ = 0;
  bool acts_outside_steps_ = false;
  std::vector<ExploredStep> steps_, pending_;
  std::vector<Bits> closure_;     // of each step and pending step: what happens before it
  std::vector<Bits> own_;         // the same by what its thread did before, or by its creation
  std::vector<Bits> by_threads_;  // the same as before_by_threads says
};

}  // namespace rff
