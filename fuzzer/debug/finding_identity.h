// Decides whether two failures are the same finding: by what failed, and by the program's own code
// in it. An identity consists of names of functions and texts of source lines, without line numbers
// and addresses, so that it survives changes elsewhere in the program and is the same on every
// machine.
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
  std::string cause;    // "SIGSEGV", "abort", "exit status 3"; empty if the kind is enough
  std::string message;  // the program's own message, with numbers and addresses blanked
  // For one thread the function and line that failed; for a deadlock each wait, sorted by their
  // texts.
  std::vector<std::string> places;

  auto operator<=>(const FindingIdentity&) const = default;
  std::string text() const;    // one line for each part
  std::uint64_t hash() const;  // of the text: the same on every machine
};

enum class IdentifiedBy {
  kEverything,
  // For two builds of a program, between which lines and messages may have changed.
  kFunctions,
};
// `debug` should know the program's modules.
FindingIdentity identify(const Finding& finding, DebugInfo& debug,
                         IdentifiedBy by = IdentifiedBy::kEverything);

// Returns whether both runs of one build failed in the same way. False if `seen` did not fail.
bool same_finding(const Finding& wanted, const Finding& seen, DebugInfo& debug);

// Replaces numbers and addresses by '#'; keeps digits in names.
std::string without_numbers(const std::string& text);

}  // namespace rff
