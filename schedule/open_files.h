// rff-fuzz raises the limit of open files for afl-fuzz; this variable tells rff-launch the limits
// to restore for the program.
#pragma once

namespace rff {

// Value: "SOFT HARD".
inline constexpr char kOpenFilesVariable[] = "RFF_OPEN_FILES";

}  // namespace rff
