// The file of a bug that was fixed, to be kept in the repository of the program: how it failed and
// what led to it, by names. It is text, has no absolute path, and the same finding always gives the
// same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/replay/event_names.h"
#include "schedule/program_input.h"

namespace rff {

struct RegressionStep {
  unsigned thread = 0;
  unsigned event = 0;  // index in RegressionFile::events
  bool timed_out = false;
  bool operator==(const RegressionStep&) const = default;
};

struct RegressionConstraint {
  unsigned write = 0;  // indexes in RegressionFile::events
  unsigned read = 0;
  bool positive = true;
  bool operator==(const RegressionConstraint&) const = default;
};

struct RegressionFile {
  std::string kind;
  std::vector<std::string> failure;  // the identity by functions, one part each
  std::string program;               // name without folder
  std::vector<std::string> arguments;
  std::uint64_t timeouts = 0;
  std::uint64_t processors = 0;
  bool exit_is_finding = false;
  bool racing_points = true;
  bool has_input = false;  // standard input lies beside the file, as FILE.input
  ProgramInput input;      // a fuzzed one, in the file
  std::vector<EventName> events;
  std::vector<RegressionConstraint> constraints;
  std::vector<RegressionStep> order;

  bool operator==(const RegressionFile&) const = default;
};

inline constexpr char kRegressionMark[] = "rff regression 1\n";
// Of a file with an input.
inline constexpr char kInputRegressionMark[] = "rff regression 2\n";
bool is_regression(const std::string& text);

std::string encode_regression(const RegressionFile& file);
// Returns nothing and sets `error` to one line if the text is no such file.
std::optional<RegressionFile> decode_regression(const std::string& text, std::string& error);

}  // namespace rff
