// AFL++'s fork server, in the target: one child per schedule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/fork_point.h"
#include "libsched/support/arena.h"
#include "schedule/shared_memory.h"

namespace rff {

class ForkServer {
 public:
  // Remembers what the environment says of a fuzzer, which is not for the program to see.
  ForkServer();
  // Whether a fuzzer is at the other end. Says hello to it.
  bool connect(SharedMemory* shared);
  // Serves runs for ever; returns in each child, whose test case is then test_case(). `prepare` is
  // called before every fork: what it does no child has to do.
  void serve(const ForkPoint& point, void (*prepare)());
  // In a child: what the run before it has needed.
  const OwnMemory& last_run() const { return last_run_; }

  std::string_view test_case() const;
  std::uint8_t* map() const { return map_; }
  static constexpr std::uint32_t kMapSize = 1 << 16;

 private:
  void fill_map();

  int map_id_, input_id_;  // of shared memory; -1: none
  SharedMemory* shared_ = nullptr;
  OwnMemory last_run_ = {};
  std::string cached_case_;
  std::uint8_t* map_ = nullptr;
  std::uint8_t* input_ = nullptr;
};

}  // namespace rff
