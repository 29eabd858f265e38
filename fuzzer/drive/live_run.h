// A run of the program that stands at a scheduling point and waits for the driver's answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/shared_mapping.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/run/child_process.h"
#include "fuzzer/run/leftovers.h"
#include "fuzzer/run/run.h"
#include "schedule/driver_channel.h"

namespace rff {

class LiveRun {
 public:
  enum class Stand { kAtPoint, kEnded, kBusy };

  // Starts schedule.target. Throws ToolError (3) if that is impossible. The object's end kills the
  // program and everything that it started.
  LiveRun(const Schedule& schedule, const std::string& launcher);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // Waits until the program stands at its next scheduling point, has ended, or stop() returns true
  // (kBusy).
  template <typename Stop>
  Stand wait(Stop stop) {
    for (;;) {
      Stand stand = wait_a_moment();
      if (stand != Stand::kBusy || stop()) {
        return stand;
      }
    }
  }
  // Requires: the program stands at a point. Has no effect if it has been killed.
  void answer(const driving::Answer& answer);

  // The point at which the program stands or stood last.
  const driving::PointHeader& point() const { return point_; }
  const std::vector<driving::PointThread>& threads() const { return threads_; }
  // Returns whether the process is still there.
  bool alive() { return !child_.ended(); }
  void kill() { child_.kill_group(); }
  pid_t process() const { return child_.pid(); }

  const SharedMemory& shared() const { return *shared_.as<SharedMemory>(); }
  // The decisions so far.
  std::vector<Decision> decisions() const;
  // Requires: the program has ended.
  Run result() const;
  // Returns what the program has printed since the last call.
  std::string new_output();

 private:
  Stand wait_a_moment();
  bool read_exactly(void* to, std::size_t bytes) const;

  Leftovers leftovers_;
  TemporaryFolder folder_;
  SharedMapping shared_;
  int channel_ = -1;
  ChildProcess child_;
  driving::PointHeader point_ = {};
  std::vector<driving::PointThread> threads_;
  std::uint64_t output_seen_ = 0;
};

}  // namespace rff
