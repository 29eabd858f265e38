// Opens the program to fuzz and checks whether it can be fuzzed and whether it is already patched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

struct TargetFile {
  std::string path;               // absolute
  bool patched = false;           // has the note of rff-instrument
  std::string build_id;           // hex; empty if it has none
  bool has_properties = false;    // it uses rff/property.h
  bool checks_addresses = false;  // is built with AddressSanitizer
  bool makes_runs = false;        // it uses rff/harness.h
  bool reports_accesses = false;  // its compiler's callbacks do what hooks do (rff::callbacks)

  // Finds `program` as the shell would. Throws ToolError (2): no such file, not an x86_64 ELF
  // program, static.
  static TargetFile open(const std::string& program);
};

// Classifies `bytes` for open(). An empty `error` means that the file can be used.
struct ElfFacts {
  std::string error;
  bool patched = false;
  std::string build_id;
  bool has_properties = false;
  bool checks_addresses = false;
  bool makes_runs = false;
  bool reports_accesses = false;
};
ElfFacts inspect_elf(std::string_view bytes);

// Hashes the input of the program: standard input and the files named by arguments.
std::uint64_t input_digest(const std::vector<std::string>& arguments,
                           const std::string& standard_input);

}  // namespace rff
