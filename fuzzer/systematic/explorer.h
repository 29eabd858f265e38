// The interface of an exploration: it plans runs and is told what they showed, until there is
// nothing left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fuzzer/systematic/explored_run.h"

namespace rff {

class Explorer {
 public:
  virtual ~Explorer() = default;

  // Returns what the next run does; nothing if all is explored. The plan says nothing of how the
  // run goes on after its order.
  virtual std::optional<Exploration> next(Random& random) = 0;
  // Reports the run of the latest plan. Requires: it has no problem. Returns false if the run did
  // not do what was planned although it could have.
  virtual bool observe(const ExploredRun& run) = 0;

  // Runs that were the first of their class, and others.
  std::uint64_t classes() const { return classes_; }
  std::uint64_t redundant() const { return redundant_; }
  // An estimate of the part of all classes that is explored, from 0 to 1.
  virtual double part_done() const = 0;
  // Why the exploration does not suit the program, whose runs must be told apart in a finer way
  // then; empty if it does.
  virtual std::string not_suited() const { return ""; }
  // Whether something is left out because it exceeds the bound.
  virtual bool cut_by_bound() const { return false; }

 protected:
  std::uint64_t classes_ = 0, redundant_ = 0;
};

}  // namespace rff
