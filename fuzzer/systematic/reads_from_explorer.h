// Explores each reads-from class once: the runs in which the same steps read from the same ones.
//
// Every class is a path of decisions. Steps that only write are made as soon as their threads come
// to them. When all threads have come to a step that reads, or to their end, the first of them
// decides: it reads from one of the writes made so far, or it is deferred, to read from one that is
// not made yet. A deferred step decides again when there are such writes. So no two classes have
// the same path, and it depends on the class alone, not on the order of its run.
//
// From a run its path is derived. At each decision of it, the other writes that could have been
// read from are to be explored, if an order exists that allows it (Linearization). To defer a step
// is to be explored as soon as some run has shown a step that may write what it reads and does not
// need it to be made before.
// After Abdulla, Atig, Jonsson, Lång, Ngo, Sagonas: Optimal Stateless Model Checking for Reads-From
// Equivalence under Sequential Consistency, OOPSLA 2019, and Chalupa, Chatterjee, Pavlogiannis,
// Sinha, Vaidya: Data-Centric Dynamic Partial Order Reduction, POPL 2018.
#pragma once

#include <string>
#include <vector>

#include "fuzzer/systematic/explorer.h"
#include "fuzzer/systematic/reads_from_path.h"

namespace rff {

class ReadsFromExplorer : public Explorer {
 public:
  std::optional<Exploration> next(Random& random) override;
  bool observe(const ExploredRun& run) override;
  std::vector<Exploration> foresee(std::size_t most, Random& random) override;
  bool save(ByteWriter& writer) const override;
  void restore(ByteReader& reader) override;
  double part_done() const override;
  std::string not_suited() const override { return not_suited_; }

 private:
  bool failed_as_planned(const ExploredRun& run) const;

  std::vector<PathNode> path_;
  Exploration plan_;
  bool began_ = false;
  std::string not_suited_;
};

}  // namespace rff
