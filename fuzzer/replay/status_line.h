// What is under way, on standard error, if it takes longer than two seconds: one live line on a
// terminal, a line every two seconds otherwise.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace rff {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;

  // What to say from now on when it is time to say something.
  void doing(std::string what);
  void tick();
  // Now, however short it took.
  void say();
  // Before anything else is printed.
  void clear();

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point began_;  // what is under way
  std::chrono::steady_clock::time_point last_;   // something was said
};

}  // namespace rff
