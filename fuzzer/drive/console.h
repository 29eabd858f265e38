// The person's side of the driver: a screen or plain lines, the prompt, Ctrl-C.
#pragma once

#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/drive/picture.h"
#include "fuzzer/drive/session.h"

namespace rff {

class Console {
 public:
  struct Settings {
    bool plain = false;       // implied unless both standard input and output are terminals
    std::string output_file;  // for the program's output; empty: shown
  };
  // Throws ToolError (2) if the file cannot be written. From here on Ctrl-C ends commands only.
  explicit Console(const Settings& settings);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Returns whether Ctrl-C was typed since the last call, or the driver must end.
  static bool interrupted();

  bool plain() const { return plain_; }

  void show(const Picture& picture, const std::string& remark);
  // Lines that are no picture.
  void say(const std::vector<std::string>& lines);
  void add_output(const Session::Output& output, bool ended);

  // Returns nothing at the end of the input.
  std::optional<std::string> read_line(const std::string& prompt);

 private:
  void show_output(const std::string& text, bool print);
  std::optional<std::string> next_line();

  bool plain_;
  bool echoes_;  // the input is not a terminal: a transcript shows what was typed
  std::string input_;
  bool input_ended_ = false;
  std::FILE* file_ = nullptr;
  std::string unfinished_;           // the beginning of a line of the program
  std::deque<std::string> printed_;  // its last lines
};

}  // namespace rff
