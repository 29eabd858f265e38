// Finds the program's own failure message in its output: that of a test framework, a panic or a
// sanitizer, in one line.
#pragma once

#include <string>
#include <string_view>

#include "schedule/schedule_file.h"

namespace rff {

struct ProgramMessage {
  std::string text;    // "t.cc:5: Expected equality of these values: counter, 2"; may be empty
  bool known = false;  // a known failure format; else the text is the last line printed
};

// `printed` is standard output and error. The first failure counts, since later ones may follow
// from it.
ProgramMessage program_message(std::string_view printed);

// Returns the finding in one line: the program's message if there is one, else `words`, with the
// last line printed if the program ended itself.
std::string summary_with_message(const Finding& finding, const std::string& words,
                                 const ProgramMessage& message);

}  // namespace rff
