// Counts the scheduling points that each thread passed in the last few runs, in all and at each
// place. Threads are known by their names, which say who created them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuzzer/common/run_summary.h"
#include "schedule/schedule_file.h"

namespace rff {

class WorkProfile {
 public:
  void observe(const RunSummary& run);
  bool empty() const { return runs_.empty(); }

  // The means over the last runs. A thread's estimate contains those of the threads it creates.
  Estimates all_events() const;
  // The same for the events of one place, drawn in proportion to its accesses. For all events if
  // there is no place that more than one thread uses.
  Estimates one_place(Random& random) const;

 private:
  static constexpr std::size_t kRuns = 4;
  static constexpr std::size_t kMaxPlaces = 4096;  // of one run

  using PointsByThread = std::unordered_map<std::uint64_t, std::uint64_t>;  // by hash of the name
  struct Place {
    std::uint64_t key = 0;  // location_key
    std::uint64_t points = 0;
    PointsByThread by_thread;
  };
  struct Run {
    PointsByThread points;
    std::vector<Place> places;  // in the order of their first accesses
    PointsByThread creators;    // of each thread but the first one
  };

  template <typename Points>
  Estimates mean(std::uint64_t location, Points points_of) const;

  std::deque<Run> runs_;
};

}  // namespace rff
