#include "fuzzer/core/power_schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rff {

std::uint32_t PowerSchedule::energy(double frequency, double mean_frequency, double performance,
                                    std::uint32_t chosen_since_skipped) const {
  if (frequency > mean_frequency) {
    return 0;
  }
  double exponential =
      performance / parameters_.beta * std::exp2(std::min(chosen_since_skipped, 64u));
  return static_cast<std::uint32_t>(
      std::max(1.0, std::min(exponential, static_cast<double>(parameters_.max_energy))));
}

double PowerSchedule::performance(const CorpusMember& member, const Corpus& corpus) {
  // The bands are those of AFL's score for speed and for size of the coverage map.
  auto cost = static_cast<double>(member.scheduling_points);
  double mean_cost = corpus.mean_scheduling_points();
  double score = 1.0;
  if (cost * 0.1 > mean_cost) {
    score = 0.1;
  } else if (cost * 0.25 > mean_cost) {
    score = 0.25;
  } else if (cost * 0.5 > mean_cost) {
    score = 0.5;
  } else if (cost * 0.75 > mean_cost) {
    score = 0.75;
  } else if (cost * 4 < mean_cost) {
    score = 3.0;
  } else if (cost * 3 < mean_cost) {
    score = 2.0;
  } else if (cost * 2 < mean_cost) {
    score = 1.5;
  }

  auto shown = static_cast<double>(member.rf_pairs);
  double mean_shown = corpus.mean_rf_pairs();
  if (shown * 0.3 > mean_shown) {
    score *= 3;
  } else if (shown * 0.5 > mean_shown) {
    score *= 2;
  } else if (shown * 0.75 > mean_shown) {
    score *= 1.5;
  } else if (shown * 3 < mean_shown) {
    score *= 0.25;
  } else if (shown * 2 < mean_shown) {
    score *= 0.5;
  } else if (shown * 1.5 < mean_shown) {
    score *= 0.75;
  }
  return score;
}

PowerSchedule::Choice PowerSchedule::choose(Corpus& corpus) {
  assert(!corpus.empty());
  double mean = corpus.mean_frequency();
  for (;;) {
    std::size_t index = turn_++ % corpus.members().size();
    CorpusMember& member = corpus.members()[index];
    std::uint32_t e = energy(static_cast<double>(corpus.frequency(member)), mean,
                             performance(member, corpus), member.chosen_since_skipped);
    if (e > 0) {
      ++member.chosen_since_skipped;
      return {index, e};
    }
    member.chosen_since_skipped = 0;
  }
}

}  // namespace rff
