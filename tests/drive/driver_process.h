// Drives rff-drive over pipes, as a script would.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rff::test {

class DriverProcess {
 public:
  // Starts the command and waits for the first prompt.
  explicit DriverProcess(std::vector<std::string> command);
  ~DriverProcess();
  DriverProcess(const DriverProcess&) = delete;
  DriverProcess& operator=(const DriverProcess&) = delete;

  // The output before the first prompt.
  const std::string& greeting() const { return greeting_; }
  // Sends a line and returns what is printed up to the next prompt, without both.
  std::string type(const std::string& line);
  // Sends without waiting.
  void send(const std::string& bytes) const;
  // Waits for this text and for the next prompt, and returns what came before it.
  std::string read_to(const std::string& text);
  std::string read_to_prompt();
  void interrupt() const;
  // The number in the last prompt.
  int step() const { return step_; }
  // Closes the input and waits for the end. Returns the exit status, 128 + signal for a signal.
  int end();
  pid_t process() const { return child_; }
  // The processes that it has started and that still exist.
  std::vector<pid_t> children() const;

 private:
  bool read_more(std::string& text) const;

  pid_t child_ = 0;
  int in_ = -1;
  int out_ = -1;
  int step_ = -1;
  std::string greeting_;
};

}  // namespace rff::test
