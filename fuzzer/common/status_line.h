// Shows the progress of a long operation: one live line on a terminal, occasional lines elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace rff {

class StatusLine {
 public:
  enum class Mode { kLive, kLines, kSilent };
  struct Settings {
    std::FILE* stream;
    Mode mode;
    std::chrono::milliseconds pause;  // delay before the live line appears, or between two lines
  };
  // kLive if the stream is a terminal.
  static Mode mode_for(std::FILE* stream);

  explicit StatusLine(Settings settings)
      : settings_(settings), last_(std::chrono::steady_clock::now()) {}
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Returns whether it is time for another line.
  bool due() const;
  // Shows the line immediately.
  void show(const std::string& line);
  // Prints a line above the live line, in every mode.
  void say(const std::string& text);
  // Removes the live line. Call before printing anything else.
  void clear();

 private:
  Settings settings_;
  bool shown_ = false;  // the live line is visible
  std::chrono::steady_clock::time_point last_;
};

}  // namespace rff
