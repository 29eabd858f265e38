// AFL++'s fork server, in the target: one child per schedule.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/process/fork_point.h"
#include "schedule/shared_memory.h"

namespace rff {

// A copy of what the fuzzer wants to be run. One that is not long is all in the object: on a page
// of the stack that server and child write to anyway, and not on one more.
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

// Work that is the same for every run.
class RunPreparation {
 public:
  virtual ~RunPreparation() = default;
  // Called in the fork server before every fork: what it does no child has to do.
  virtual void prepare_runs() = 0;
  // Called there after every run.
  virtual void run_ended() = 0;
};

class ForkServer {
 public:
  // Remembers what the environment says of a fuzzer, which is not for the program to see.
  ForkServer();
  // Whether a fuzzer is at the other end. Says hello to it.
  bool connect(SharedMemory* shared);
  // Serves runs for ever; returns in each child, with its test case.
  void serve(const ForkPoint& point, RunPreparation& preparation, TestCase* test_case);

  std::uint8_t* map() const { return map_; }
  static constexpr std::uint32_t kMapSize = 1 << 16;

 private:
  std::string_view given_bytes() const;
  void fill_map();
  // Kills what a run has left behind.
  void end_descendants(pid_t run) const;
  // A run has ended: what the server knows of it.
  void note_end(int status);

  int map_id_, input_id_;  // of shared memory; -1: none
  SharedMemory* shared_ = nullptr;
  std::uint8_t* map_ = nullptr;
  std::uint8_t* input_ = nullptr;
};

}  // namespace rff
