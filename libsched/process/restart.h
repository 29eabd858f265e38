// Restarts the program through the launcher, which places it at its fixed addresses.
#pragma once

#include <string>
#include <vector>

namespace rff {

// `program`: the path by which the program was started. Runs then begin before main.
[[noreturn]] void restart_program(const std::string& program, const std::vector<char*>& arguments,
                                  std::vector<char*> environment);

// For a program that executes itself. `variables`: its current ones; `initial`: those at the start
// of the process, from which the launcher and the runtime need theirs.
[[noreturn]] void execute_program(const std::string& program, char* const words[],
                                  char* const variables[], const std::vector<char*>& initial);

}  // namespace rff
