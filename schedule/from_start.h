// Environment variables by which the runtime restarts a program.
#pragma once

namespace rff {

// Set: the fork point is before main, because the children of a later fork point could not share
// the files that the program opens before its first thread.
inline constexpr char kFromStartVariable[] = "RFF_FROM_START";
// Set: the program has executed itself, so its inherited descriptors are its own.
inline constexpr char kExecutedVariable[] = "RFF_EXECUTED";

}  // namespace rff
