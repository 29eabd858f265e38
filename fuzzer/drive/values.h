// p VARIABLE: the value of a global variable in the memory of the program that stands.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/drive/live_run.h"

namespace rff {

// Returns as many of the bytes as can be read.
std::string read_memory(pid_t process, std::uint64_t address, std::size_t bytes);

// Returns "`counter` = 3", or why it cannot be shown.
std::string print_variable(const std::string& name, LiveRun& run, DebugInfo& debug);

// Returns the value of an object of this type in the form of the source: "3", "{1, 2}",
// "{head = 0x0, size = 0}". `bytes` must hold all of it.
std::string value_words(Dwarf_Die type, std::string_view bytes);

}  // namespace rff
