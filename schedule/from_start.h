// Variables of the environment for a program that begins again.
#pragma once

namespace rff {

// Runs begin before main: what the program has open before its first thread cannot be shared by the
// fork server's children.
inline constexpr char kFromStartVariable[] = "RFF_FROM_START";
// The program has executed itself: what it left open is its own.
inline constexpr char kExecutedVariable[] = "RFF_EXECUTED";

}  // namespace rff
