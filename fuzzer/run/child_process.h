// A program in a process group of its own, so that Ctrl-C reaches only this program and nothing of
// a run is left over.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace rff {

class ChildProcess {
 public:
  // As Command::output: /dev/null, open for reading too, as afl-fuzz gives it to its target; and
  // this program's own.
  static constexpr int kNowhere = -1, kOurs = -2;
  struct Command {
    std::vector<std::string> arguments;  // [0] is the path
    std::map<std::string, std::string>
        environment;                 // besides what we have, without AFL_* and RFF_*
    std::string standard_input;      // path; empty: /dev/null
    int output = kNowhere;           // descriptor for standard output and error
    bool keep_error_output = false;  // standard error stays this program's
    std::vector<int> inherit;        // descriptors it keeps
  };

  ChildProcess() = default;
  explicit ChildProcess(const Command& command);
  ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // kills what still runs

  bool running() const { return pid_ > 0; }
  int error() const { return error_; }  // errno of a start that failed
  pid_t pid() const { return pid_; }

  // Whether it has ended; reaps it. Then status() is as from waitpid.
  bool ended();
  int status() const { return status_; }
  void signal(int number);
  // Ends it and all that it left behind in its group.
  void kill_group();

 private:
  pid_t pid_ = 0;
  pid_t group_ = 0;
  int status_ = 0;
  int error_ = 0;
};

// "exit status 3", "signal 11 (Segmentation fault)"
std::string wait_status_words(int status);

// Runs a program to its end and returns all it printed.
struct Printed {
  std::string output;
  int status = 0;  // as from waitpid
  int error = 0;   // errno of a start that failed
};
Printed run_and_read(ChildProcess::Command command);

}  // namespace rff
