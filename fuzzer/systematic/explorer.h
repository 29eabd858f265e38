// The interface of an exploration: it plans runs and is told what they showed, until there is
// nothing left.
//
// Plans are made and runs reported one after the other. Other instances may run plans that are
// still to come. An exploration that cannot foresee any, or cannot be saved, leaves the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/systematic/explored_run.h"
#include "schedule/byte_stream.h"

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

  // Returns up to `most` plans that next() is likely to return later, the soonest first.
  virtual std::vector<Exploration> foresee(std::size_t /*most*/, Random& /*random*/) { return {}; }

  // Writes all that is known, the latest plan included. Returns false if that cannot be done: an
  // exploration that was stopped then starts anew.
  virtual bool save(ByteWriter& /*writer*/) const { return false; }
  // Requires: next() was not called yet. A reader without an error has given what save() wrote, or
  // something else that can be explored.
  virtual void restore(ByteReader& reader) { reader.fail("it cannot be continued"); }

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
