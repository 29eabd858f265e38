// When two failures are one finding: what failed, and where the program's own code is in it. Made
// of the names of functions and the text of source lines, without line numbers and addresses, so
// that it outlives changes of the program elsewhere and is the same on every machine.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

struct FindingIdentity {
  FindingKind kind = FindingKind::kNone;
  std::string cause;    // "SIGSEGV", "abort", "exit status 3"; empty if the kind says it all
  std::string message;  // the program's own words, numbers and addresses blanked
  // Where: of one thread the function and line that failed, of a deadlock each wait, in order of
  // their texts.
  std::vector<std::string> places;

  auto operator<=>(const FindingIdentity&) const = default;
  std::string text() const;    // one line for each part
  std::uint64_t hash() const;  // of the text: the same everywhere
};

enum class IdentifiedBy {
  kEverything,
  // For two builds of a program, between which lines and messages may have changed.
  kFunctions,
};
// `debug` should know the modules of the program.
FindingIdentity identify(const Finding& finding, DebugInfo& debug,
                         IdentifiedBy by = IdentifiedBy::kEverything);

// Whether both runs of one build failed in the same way. False if `seen` did not fail.
bool same_finding(const Finding& wanted, const Finding& seen, DebugInfo& debug);

// Numbers and addresses become '#'; digits in names stay.
std::string without_numbers(const std::string& text);

}  // namespace rff
