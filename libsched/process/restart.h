// A program that begins again, through the launcher, which gives it its addresses.
#pragma once

#include <string>
#include <vector>

namespace rff {

// `program` is the path the program was started by. Runs begin before main then.
[[noreturn]] void restart_program(const std::string& program, char** arguments,
                                  std::vector<char*> environment);

}  // namespace rff
