// Determines the version of AFL++ and whether our plug-in works with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rff {

struct AflVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const AflVersion&) const = default;
};

// The oldest version with which the plug-in and the fork server have been tested.
inline constexpr AflVersion kOldestAfl{4, 4};

// Finds "afl-fuzz++4.04c" in the help text of afl-fuzz.
std::optional<AflVersion> afl_version(std::string_view help);
// Returns "4.04c".
std::string afl_version_text(AflVersion version);

// Throws ToolError (2) if that afl-fuzz is too old. An unknown version is accepted.
void require_afl_version(const std::string& afl_fuzz);

}  // namespace rff
