// The shared libraries of the program to fuzz: which there are, which to patch, and where the
// loader finds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rff {

struct Library {
  std::string name;  // as the loader looks for it: libz.so.1
  std::string path;  // empty: the loader does not find it
};

// What the loader would load for the program.
std::vector<Library> libraries_of(const std::string& program);
// Reads the loader's list: "name => path (address)" a line.
std::vector<Library> parse_loader_list(std::string_view text);

// Whether --libs `wanted` (none, all, or patterns with commas) names the library. Never the loader,
// the C library and what belongs to it: the runtime stands between the program and them. Nor what
// sanitizers bring.
bool wants_library(const std::string& wanted, const std::string& name);

// Whether the library waits by system calls of its own (as that of OpenMP does), which nobody sees
// unless it is patched: a thread that does so would stop all others.
bool waits_by_itself(const std::string& path);

}  // namespace rff
