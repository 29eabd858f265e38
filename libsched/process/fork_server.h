// AFL++'s fork server, inside the target. It forks a child per schedule, or a worker that makes
// many runs (snapshot/worker.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/process/fork_point.h"
#include "libsched/snapshot/policy.h"
#include "schedule/shared_memory.h"

namespace rff {

class Worker;
struct Turn;

// A copy of the test case to run. A short one is stored in the object: on a page of the stack that
// server and child write to anyway.
class TestCase {
 public:
  void set(std::string_view bytes);
  std::string_view bytes() const {
    return size_ <= kShort ? std::string_view(short_, size_) : std::string_view(long_);
  }

 private:
  static constexpr std::size_t kShort = 512;
  std::size_t size_ = 0;
  char short_[kShort];
  std::string long_;
};

// Preparations that are the same for every run.
class RunPreparation {
 public:
  virtual ~RunPreparation() = default;
  // Called in the fork server before every fork, so that no child has to do this work.
  virtual void prepare_runs() = 0;
  // Called there after every run.
  virtual void run_ended() = 0;
};

class ForkServer {
 public:
  // Reads the fuzzer's variables from the environment and removes them from the program's view.
  ForkServer();
  // Greets the fuzzer. Returns whether there is one at the other end.
  bool connect(SharedMemory* shared);
  // Allows runs in place. Requires: all threads of the program are fibers.
  void allow_in_place();
  // Serves runs forever. Returns in each child, and in each run of a worker, with the test case.
  void serve(const ForkPoint& point, RunPreparation& preparation, TestCase* test_case);

  std::uint8_t* map() const { return map_; }
  std::uint32_t map_size() const { return map_size_; }  // kSmallMap or kLargeMap

 private:
  std::string_view given_bytes() const;
  void fill_map();
  void fill_upper_half();
  std::uint32_t next_request();
  void note_cache_hit();
  void begin_child(bool bare, bool in_place, TestCase* test_case);
  bool prepare_worker(std::uint32_t request);
  // In a child: makes it a worker. Returns in each of its runs.
  void work(TestCase* test_case);
  // In a worker: answers for the run that has ended and waits for another test case.
  void await_request(Worker& worker);
  void answer_from_cache(Worker& worker);
  // In the template: answers for the worker if it could not.
  void worker_ended(pid_t worker, int status, RunPreparation& preparation);
  void note_retirement();
  // Records the end of a run that has a process of its own.
  void finish_run(pid_t run, int status, RunPreparation& preparation);
  // Kills processes that a run has left behind.
  void end_descendants(pid_t run) const;
  // Records how a run ended, as the server sees it.
  void note_end(int status);
  void prepare_stacks();

  int map_id_, input_id_;  // ids of shared memory; -1: none
  SharedMemory* shared_ = nullptr;
  std::uint8_t* map_ = nullptr;
  std::uint32_t map_size_ = kLargeMap;
  std::uint8_t* input_ = nullptr;
  InPlacePolicy policy_;
  Turn* turn_ = nullptr;  // shared with workers; null: there are none
  // A worker leaves when runs have shown more than this.
  std::uint32_t points_ = 0, stacks_ = 0, stack_pages_ = 0;
  std::uint64_t in_place_before_ = 0;
};

}  // namespace rff
