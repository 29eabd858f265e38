// Counts the scheduling points that each thread passed in the last few runs, in all and in each set
// of events, usually the accesses to one place. Threads are known by their names, which say who
// created them.
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
  explicit WorkProfile(EventSelection selection = {}) : selection_(std::move(selection)) {}

  void observe(const RunSummary& run);
  bool empty() const { return runs_.empty(); }

  // The means over the last runs. A thread's estimate contains those of the threads it creates.
  Estimates all_events() const;
  // The same for the events of one set, drawn in proportion to their number. For all events if no
  // set has events of more than one thread.
  Estimates one_set(Random& random) const;

 private:
  static constexpr std::size_t kRuns = 4;
  static constexpr std::size_t kMaxPlaces = 4096;  // of one run

  using PointsByThread = std::unordered_map<std::uint64_t, std::uint64_t>;  // by hash of the name
  struct Place {
    std::uint64_t key = 0;  // selection_key
    std::uint64_t points = 0;
    PointsByThread by_thread;
  };
  struct Run {
    PointsByThread points;
    std::vector<Place> places;  // in the order of their first accesses
    PointsByThread creators;    // of each thread but the first one
  };

  template <typename Points>
  Estimates mean(std::uint64_t key, Points points_of) const;

  EventSelection selection_;
  std::deque<Run> runs_;
};

}  // namespace rff
