// Starts, watches and stops one afl-fuzz process with our plug-in.
#pragma once

#include <ctime>
#include <string>

#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/common/shared_mapping.h"
#include "fuzzer/run/child_process.h"

namespace rff {

class AflFuzz {
 public:
  struct Settings {
    std::string afl_fuzz;
    std::string mutator;
    std::string seeds;  // folder with at least one test case
    std::string tree;   // folder for afl-fuzz's own files
    std::uint32_t index = 0;
    std::uint32_t instances = 1;
    std::uint32_t restarts = 0;  // earlier restarts of this instance
    std::uint64_t seed = 0;
    std::uint32_t schedule_timeout_ms = 0;
    std::string carrier;
    std::string campaign_memory;  // path
    bool show_screen = false;
    bool small_map = false;  // see kSmallMap
    int processor = -1;            // processor to bind to; -1: none
    ChildProcess::Command target;  // command that starts the program
  };

  explicit AflFuzz(const Settings& settings);
  AflFuzz(const AflFuzz&) = delete;
  AflFuzz& operator=(const AflFuzz&) = delete;
  ~AflFuzz();

  bool ended() { return process_.ended(); }
  int status() const { return process_.status(); }
  // Returns why the process has ended without being asked to.
  std::string cause_of_death();
  void stop();  // asks the process to end in good order
  void kill();  // kills the process and the program

  SharedMemory& memory() { return *shared_.as<SharedMemory>(); }
  int socket() const { return socket_; }  // receives Reports, sends Replies
  int output() const { return output_; }  // its output; -1 if it prints to the screen
  // Reads the available output.
  void read_output();
  // Returns its last error message, or else the last line that it printed.
  std::string complaint() const;

 private:
  int open_output();

  SharedMapping shared_;
  ChildProcess process_;
  pid_t pid_ = 0;  // stays set after the process has ended
  std::time_t started_ = 0;
  int socket_ = -1;
  int output_ = -1;
  std::string tail_;
};

}  // namespace rff
