// How rff-fuzz tells rff-launch the limit of open files that it has raised for afl-fuzz.
#pragma once

namespace rff {

// "SOFT HARD": what the program is to have.
inline constexpr char kOpenFilesVariable[] = "RFF_OPEN_FILES";

}  // namespace rff
