// The driver's view of a run that stands at a step: words only, ready for any window.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rff {

struct Picture {
  struct ThreadLine {
    std::string number;  // in order of creation
    std::string name;    // "main.2"
    std::string does;    // "writes `a` (now 0)"
    std::string place;   // "set (reorder.c:19)"
    std::string
        waits;  // "waits for mutex `m`, held by main.1 since bank.c:12"; empty if it can go on
    std::string races;  // "races with main.1 and main.3"; empty if it does not
    bool next = false;  // Enter lets it go on
  };
  struct SourceLine {
    int number = 0;
    std::string text;
    bool current = false;
  };

  std::uint64_t step = 0;
  std::vector<ThreadLine> threads;
  // The last steps: "11", "main.2", "writes `b` = -1", "set (reorder.c:19)".
  std::vector<std::array<std::string, 4>> history;
  std::string source_title;  // "reorder.c, where main.2 stands"
  std::vector<SourceLine> source;
  std::string end;                   // how the run ended; empty if it goes on
  std::vector<std::string> failure;  // what failed, and why
  std::string follows;               // whether this is still the given run; empty if none was given
};

// The whole picture, line by line.
std::string plain_text(const Picture& picture);

// As much of the picture, the program's last output and the remark as fits into a window, without
// its last row, which is for the prompt. Each line is at most `columns` long. Returns at most
// `rows` - 1 lines, each with its end.
struct Window {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
std::string screen_text(const Picture& picture, const std::vector<std::string>& output,
                        const std::string& remark, const Window& window);

}  // namespace rff
