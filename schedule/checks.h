// Says which accesses of the program to memory the runtime checks (--check), from the program's
// start on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

// Places in a module: code or data at the offsets from `begin` up to `end`.
struct ModuleRange {
  std::uint32_t module = 0;
  std::uint32_t begin = 0, end = 0;
  auto operator<=>(const ModuleRange&) const = default;
};

enum CheckBits : std::uint32_t {
  kCheckMemory = 1,  // the heap
  kCheckStack = 2,   // frames of other threads that have returned
  kCheckStrict = 4,  // also aligned loads that run over the end of a block
  kAllChecks = 7,
};

inline constexpr std::uint32_t kDefaultQuarantine = 64;
inline constexpr std::uint32_t kMaxQuarantine = 1 << 20;

struct Checks {
  std::uint32_t bits = 0;                         // CheckBits
  std::uint32_t quarantine = kDefaultQuarantine;  // MiB of freed blocks that are kept
  std::vector<std::string> ignored;               // functions whose accesses are not checked
  std::vector<ModuleRange> ignored_code;          // their code; sorted, disjoint

  bool any() const { return bits != 0; }
  bool has(CheckBits bit) const { return (bits & bit) != 0; }
  bool operator==(const Checks&) const = default;
};

// Reads the value of --check: "none" or words separated by commas. Returns nothing if it is
// neither.
std::optional<std::uint32_t> parse_check_words(std::string_view text);
// Returns "memory,stack"; "none" for no bits.
std::string check_words(std::uint32_t bits);

// Returns the options that ask for the checks: "memory --quarantine 16 --check-ignore peek".
std::string checks_text(const Checks& checks);

// The form in which the launcher hands the checks to the runtime, without the names of functions.
std::string checks_to_text(const Checks& checks);
std::optional<Checks> checks_from_text(std::string_view text);

// Whether the runtime can search the ranges by halving.
bool in_order(const std::vector<ModuleRange>& ranges);

}  // namespace rff
