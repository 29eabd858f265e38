// Starts a program in its own process group, so that Ctrl-C does not reach it and the whole group
// can be killed after a run.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace rff {

class ChildProcess {
 public:
  // Values of Command::output: /dev/null, also open for reading as under afl-fuzz; and the output
  // of this program.
  static constexpr int kNowhere = -1, kOurs = -2;
  struct Command {
    std::vector<std::string> arguments;  // [0] is the path
    std::map<std::string, std::string>
        environment;                 // added to our environment without AFL_* and RFF_*
    std::string standard_input;      // path; empty: /dev/null
    int output = kNowhere;           // descriptor for standard output and error
    bool keep_error_output = false;  // standard error stays that of this program
    std::vector<int> inherit;        // descriptors that the child keeps
  };

  ChildProcess() = default;
  explicit ChildProcess(const Command& command);
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // kills the process if it still runs

  bool running() const { return pid_ > 0; }
  int error() const { return error_; }  // errno of a failed start
  pid_t pid() const { return pid_; }

  // Returns whether the process has ended, and reaps it. Then status() is as from waitpid.
  bool ended();
  int status() const { return status_; }
  void signal(int number);
  // Kills the process and everything left in its group.
  void kill_group();

 private:
  pid_t pid_ = 0;
  pid_t group_ = 0;
  int status_ = 0;
  int error_ = 0;
};

// Returns "exit status 3" or "signal 11 (Segmentation fault)".
std::string wait_status_words(int status);

// The result of running a program to its end, with everything it printed.
struct Printed {
  std::string output;
  int status = 0;  // as from waitpid
  int error = 0;   // errno of a failed start
};
Printed run_and_read(ChildProcess::Command command);

}  // namespace rff
