// A program that begins again, through the launcher, which gives it its addresses.
#pragma once

#include <string>
#include <vector>

namespace rff {

// `program` is the path the program was started by. Runs begin before main then.
[[noreturn]] void restart_program(const std::string& program, char** arguments,
                                  std::vector<char*> environment);

// The program executes itself: `variables` are its own now, `initial` those of this process when it
// began, of which the launcher and the runtime need theirs.
[[noreturn]] void execute_program(const std::string& program, char* const words[],
                                  char* const variables[], const std::vector<char*>& initial);

}  // namespace rff
