// The language in which a user chooses stop points (--stop-at): grammar and matching of patterns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rff {

struct StopSpec {
  enum class Kind { kPrimitives, kAccesses, kCalls, kFunction, kFile, kVariable };

  std::string text;  // as the user wrote it, without spaces around it
  Kind kind = Kind::kPrimitives;
  std::string pattern;                // of functions, files or variables
  int first_line = 0, last_line = 0;  // of files; 0: all lines
  std::string within;                 // pattern of functions; empty: anywhere

  // Whether the entries of functions must be hooked.
  bool needs_calls() const { return kind == Kind::kCalls || kind == Kind::kFunction; }
  bool operator==(const StopSpec&) const = default;
};

// Either stop points, or what the text must be.
struct ParsedStopSpec {
  std::optional<StopSpec> spec;
  std::string error;
};
ParsedStopSpec parse_stop_spec(std::string_view text);

// As the user wrote them.
std::vector<std::string> texts_of(const std::vector<StopSpec>& specs);

// Reads one per line; what follows '#' is a comment. Throws ToolError (2) that names the line.
std::vector<StopSpec> read_stop_file(const std::string& path);

// Whether the pattern (with * ? []) matches a function or variable: its whole name, or the last
// part of a::b::c. Parts that a compiler splits off (f.cold, f.part.0) have the name of the whole.
bool matches_name(const std::string& pattern, const std::string& name);
// Whether it matches a source file: its whole path, or as many of its last parts as the pattern
// has.
bool matches_file(const std::string& pattern, const std::string& path);

// Returns up to `most` of the names, those that are most like the pattern first. Each comes once.
std::vector<std::string> nearest_names(const std::string& pattern, std::vector<std::string> names,
                                       std::size_t most);

}  // namespace rff
