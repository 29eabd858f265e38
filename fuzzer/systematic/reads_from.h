// Tells which step each step of a run reads from, and which must come before it for that reason.
//
// A step reads what its operation touches; that is what an exploration by reads-from decides. What
// else the step touches before its thread's next scheduling point must be decided by that already;
// a run of which that is not true has a problem.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzzer/systematic/explored_run.h"

namespace rff {

class ReadsFrom {
 public:
  static constexpr std::size_t kInitial = ~std::size_t{0};  // read before anybody wrote it

  // Requires: the run outlives it.
  explicit ReadsFrom(const ExploredRun& run);

  // Why what is read does not say all about the run; empty if it does.
  const std::string& problem() const { return problem_; }

  std::size_t executed() const { return run_.steps().size(); }
  std::size_t all() const { return executed() + run_.pending().size(); }
  const ExploredStep& step(std::size_t j) const { return run_.at(j); }

  // Whether the operation of step j reads, so that it can make a difference from whom. Operations
  // on synchronization objects all do: their order matters.
  bool reads(std::size_t j) const;
  // The step that step j reads from, or kInitial. Requires: j is executed and reads.
  std::size_t writer(std::size_t j) const { return writers_[j]; }
  // Whether step i writes, or may write, what the operation of step j touches.
  bool may_write(std::size_t i, std::size_t j) const;
  // The steps that wrote what the operation of step j touches, in their order.
  const std::vector<std::size_t>& writers_of(std::size_t j) const {
    return places_[place_of_[j]].writers;
  }
  bool wrote(std::size_t i, std::size_t j) const {
    return places_[place_of_[j]].is_writer.contains(i);
  }

  // The steps that must come before step j: those before it by threads, what they read from, and
  // what comes before that.
  const Bits& own_past(std::size_t j) const { return own_past_[j]; }
  // The same with what step j reads from.
  const Bits& past(std::size_t j) const { return past_[j]; }

 private:
  struct Place {
    std::vector<std::size_t> writers;
    Bits is_writer;
  };
  void find_places();
  void find_pasts();
  void find_problem();
  bool ordered(std::size_t i, std::size_t j) const {
    return past_[i].contains(j) || past_[j].contains(i);
  }
  bool decided(std::size_t i, std::size_t j) const;
  bool determined(std::size_t j) const;

  const ExploredRun& run_;
  std::string problem_;
  std::vector<Place> places_;
  std::vector<std::size_t> place_of_;  // of each step
  std::vector<std::size_t> writers_;
  std::vector<Bits> own_past_, past_;
};

}  // namespace rff
