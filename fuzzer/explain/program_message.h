// What a program says of its own failure, found in what it printed: the message of a test
// framework, of a panic or of a sanitizer, in one line.
#pragma once

#include <string>
#include <string_view>

#include "schedule/schedule_file.h"

namespace rff {

struct ProgramMessage {
  std::string text;    // "t.cc:5: Expected equality of these values: counter, 2"; may be empty
  bool known = false;  // of a form that only failures have; else it is the last line printed
};

// `printed`: standard output and error. The first failure counts, as what comes later may follow
// from it.
ProgramMessage program_message(std::string_view printed);

// The finding in one line: the program's message where it has one, else `words`, with the last line
// that it printed where it ended itself.
std::string summary_with_message(const Finding& finding, const std::string& words,
                                 const ProgramMessage& message);

}  // namespace rff
