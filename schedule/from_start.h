// A variable of the environment that tells the runtime to begin runs before main: what the program
// has open before its first thread cannot be shared by the fork server's children.
#pragma once

namespace rff {

inline constexpr char kFromStartVariable[] = "RFF_FROM_START";

}  // namespace rff
