// Lists the shared libraries of the program to fuzz, and decides which of them to patch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rff {

struct Library {
  std::string name;  // the name that the loader searches for: libz.so.1
  std::string path;  // empty: the loader does not find it
};

// Returns the libraries that the loader would load for the program.
std::vector<Library> libraries_of(const std::string& program);
// Parses the loader's list with one "name => path (address)" per line.
std::vector<Library> parse_loader_list(std::string_view text);

// Returns whether --libs `wanted` (none, all, or patterns with commas) names the library. Always
// false for the loader and the C library, whose functions the runtime interposes, and for the
// libraries of sanitizers.
bool wants_library(const std::string& wanted, const std::string& name);

// Returns whether the library makes blocking system calls itself, as OpenMP does. The runtime sees
// them only if the library is patched; otherwise a waiting thread would block all others.
bool waits_by_itself(const std::string& path);

// Returns patterns of the functions of this library that change or follow the links of containers,
// if the program calls some; otherwise "". Other code of containers is in headers, so patched with
// the program: without these, threads that use a list without a lock would do no harm.
std::string container_functions(const std::string& program, const std::string& name);

}  // namespace rff
