// The cut-off exponential power schedule. It determines how many mutants (energy) a member of the
// corpus gets when its turn comes.
//
//   energy(α) = 0                              if f(α) > μ
//             = min(γ(α) / β · 2^s(α), M)      otherwise
//
// A member whose reads-from combination is more frequent than average is skipped until the others
// have caught up; the others get exponentially more energy the longer they stay rare.
#pragma once

#include <cstdint>

#include "fuzzer/core/corpus.h"

namespace rff {

class PowerSchedule {
 public:
  struct Parameters {
    double beta = 1.0;
    std::uint32_t max_energy = 16;  // M
  };

  PowerSchedule() = default;
  explicit PowerSchedule(Parameters parameters) : parameters_(parameters) {}

  // Takes f, μ, γ and s as above. A result that is not 0 is at least 1: a member that is not
  // skipped gets a mutant.
  std::uint32_t energy(double frequency, double mean_frequency, double performance,
                       std::uint32_t chosen_since_skipped) const;

  // γ(α): 1 for an average member, more for one that costs less or shows more. The cost is counted
  // in scheduling points, not in seconds, because a campaign must repeat from its seed.
  static double performance(const CorpusMember& member, const Corpus& corpus);

  // Returns the next member and its energy. Members without energy are skipped and their s is
  // reset. Requires a corpus that is not empty. Terminates because some member is not above the
  // mean.
  struct Choice {
    std::size_t member;
    std::uint32_t energy;
  };
  Choice choose(Corpus& corpus);

 private:
  Parameters parameters_;
  std::size_t turn_ = 0;
};

}  // namespace rff
