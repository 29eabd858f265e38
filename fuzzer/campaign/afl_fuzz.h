// One afl-fuzz process with our plug-in in it.
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
    std::string tree;   // where it keeps its own files
    std::uint32_t index = 0;
    std::uint32_t instances = 1;
    std::uint32_t restarts = 0;  // of this instance, before
    std::uint64_t seed = 0;
    std::uint32_t schedule_timeout_ms = 0;
    std::string carrier;
    std::string campaign_memory;  // path
    bool show_screen = false;
    int processor = -1;            // of its own; -1: none
    ChildProcess::Command target;  // how it is started
  };

  explicit AflFuzz(const Settings& settings);
  AflFuzz(const AflFuzz&) = delete;
  AflFuzz& operator=(const AflFuzz&) = delete;
  ~AflFuzz();

  bool ended() { return process_.ended(); }
  int status() const { return process_.status(); }
  // Why it has ended although nobody asked for it.
  std::string cause_of_death();
  void stop();  // asks it to end in good order
  void kill();  // with the program

  SharedMemory& memory() { return *shared_.as<SharedMemory>(); }
  int socket() const { return socket_; }  // Reports come here, Replies go there
  int output() const { return output_; }  // what it prints, -1 if that is on the screen
  // Takes in what it has printed.
  void read_output();
  // The last thing it complained about, or the last line it printed.
  std::string complaint() const;

 private:
  int open_output();

  SharedMapping shared_;
  ChildProcess process_;
  pid_t pid_ = 0;  // of the process, also when it has ended
  std::time_t started_ = 0;
  int socket_ = -1;
  int output_ = -1;
  std::string tail_;
};

}  // namespace rff
