// Which AFL++ is installed, and whether our plug-in can work with it.
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

// The oldest with which the plug-in and the fork server have been tried.
inline constexpr AflVersion kOldestAfl{4, 4};

// Looks for "afl-fuzz++4.04c" in what afl-fuzz prints as its help.
std::optional<AflVersion> afl_version(std::string_view help);
// "4.04c"
std::string afl_version_text(AflVersion version);

// Throws ToolError (2) if that afl-fuzz is too old. One that does not tell its version is let pass.
void require_afl_version(const std::string& afl_fuzz);

}  // namespace rff
