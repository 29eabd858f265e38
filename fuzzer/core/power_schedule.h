// The cut-off exponential power schedule: how many mutants a member of the corpus gets when its
// turn comes.
//
//   energy(α) = 0                              if f(α) > μ
//             = min(γ(α) / β · 2^s(α), M)      otherwise
//
// Members whose reads-from combination comes up more often than average are left out until the
// others have caught up; the others get exponentially more the longer they stay rare.
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

  // f, μ, γ and s as above. At least 1 where it is not 0: a member that is not left out has its
  // turn.
  std::uint32_t energy(double frequency, double mean_frequency, double performance,
                       std::uint32_t chosen_since_skipped) const;

  // γ(α): 1 for the average member, more for one that costs less or shows more. Cost is counted in
  // scheduling points, not in seconds: the campaign must repeat from its seed.
  static double performance(const CorpusMember& member, const Corpus& corpus);

  // The next member in turn and its energy; members with no energy are passed over and their s
  // starts again. Requires a corpus that is not empty. Always finds one, since some member
  // is not above the mean.
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
