// Serialized period schedules: a run is a sequence of periods, each of which lets one thread pass
// some scheduling points; neighbors are different threads. All of them are tried, those with few
// periods first.
// Wen et al.: Controlled Concurrency Testing via Periodical Scheduling, ICSE 2022.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rff {

struct Period {
  std::size_t thread;
  std::size_t points;
  bool operator==(const Period&) const = default;
};

// Enumerates the schedules of threads with these numbers of points, each once, up to `extra`
// periods more than there are threads with points.
//
// The usual choice of a period is the next thread in turn with all its points. Schedules come in
// the order of their cost: the periods beyond the fewest possible, and the choices other than the
// usual one. So the first thousands of a program with many threads do not only permute its last
// ones.
class PeriodSchedules {
 public:
  PeriodSchedules(std::vector<std::size_t> points, std::size_t extra);

  // Returns false after the last one.
  bool next(std::vector<Period>& schedule);

 private:
  struct Level {
    std::vector<Period> choices;  // the usual one first
    std::size_t at = 0;
  };
  std::size_t others_chosen() const;
  std::vector<Period> choices() const;
  bool possible(std::size_t thread, std::size_t points) const;
  void take(const Period& period);
  void give_back(const Period& period);
  // Adds a period with its usual choice. Returns false if there is none.
  bool go_deeper();
  // Replaces the last choice that can be replaced. Returns false if there is none.
  bool go_on();
  // Begins with the next number of periods, or the next cost. Returns false after the last.
  bool next_part();

  std::vector<std::size_t> left_;  // points, by thread
  std::size_t extra_;
  std::size_t threads_left_ = 0;
  std::size_t points_left_ = 0;
  std::size_t fewest_ = 0;  // periods
  // These three describe the schedules that come now.
  std::size_t cost_ = 0;
  std::size_t periods_ = 0;
  std::size_t unusual_ = 0;  // choices other than the usual one
  bool begun_ = false;
  std::vector<Level> levels_;
};

}  // namespace rff
