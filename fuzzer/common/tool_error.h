// An error that ends the program, with one line for the user and the exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace rff {

enum ExitStatus : int { kNothingFound = 0, kBugFound = 1, kBadUsage = 2, kToolFailed = 3 };

class ToolError : public std::runtime_error {
 public:
  ToolError(ExitStatus exit_status, const std::string& line)
      : std::runtime_error(line), status(exit_status) {}
  const ExitStatus status;
};

inline ToolError bad_usage(const std::string& line) { return {kBadUsage, line}; }
inline ToolError tool_failed(const std::string& line) { return {kToolFailed, line}; }

}  // namespace rff
