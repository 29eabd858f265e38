// AFL++'s fork server, inside the target: forks one child per schedule.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/process/fork_point.h"
#include "schedule/shared_memory.h"

namespace rff {

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
  // Serves runs forever. Returns in each child, with its test case.
  void serve(const ForkPoint& point, RunPreparation& preparation, TestCase* test_case);

  std::uint8_t* map() const { return map_; }
  static constexpr std::uint32_t kMapSize = 1 << 16;

 private:
  std::string_view given_bytes() const;
  void fill_map();
  void fill_upper_half();
  // Kills processes that a run has left behind.
  void end_descendants(pid_t run) const;
  // Records how a run ended, as the server sees it.
  void note_end(int status);

  int map_id_, input_id_;  // ids of shared memory; -1: none
  SharedMemory* shared_ = nullptr;
  std::uint8_t* map_ = nullptr;
  std::uint8_t* input_ = nullptr;
};

}  // namespace rff
