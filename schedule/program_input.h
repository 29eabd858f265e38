// The input of a program as part of a schedule, and how the program gets it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace rff {

struct ProgramInput {
  enum class Way : std::uint8_t {
    kNone,  // a schedule without an input; the program reads what its target names
    kStandardInput,
    kFile,      // `@@` in its arguments is the name of a file with the bytes
    kArgument,  // `@@` in its arguments stands for the bytes themselves
    kVariable,  // the environment variable `name` holds them
    kProperty,  // its properties draw their values from them; `name`: the only one to run
    kCount
  };
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  Way way = Way::kNone;
  std::string name;
  std::string bytes;

  bool given() const { return way != Way::kNone; }
  // A text of the operating system ends at its first zero byte.
  bool is_text() const { return way == Way::kArgument || way == Way::kVariable; }
  bool operator==(const ProgramInput&) const = default;
};

// The name of a way, for people and for JSON.
inline std::string_view input_way_name(ProgramInput::Way way) {
  constexpr std::string_view kNames[] = {"none",     "standard input", "file",
                                         "argument", "variable",       "property"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(ProgramInput::Way::kCount));
  return kNames[static_cast<std::size_t>(way)];
}

// The mark stands in an argument for the input.
inline constexpr std::string_view kInputMark = "@@";
// The launcher's form of the mark: afl-fuzz replaces the other one by a name of its own.
inline constexpr std::string_view kHiddenInputMark = "\x1arff-input\x1a";
// The file that a program finds its input in. The runtime keeps a descriptor of this number, with
// contents that belong to the run alone.
inline constexpr int kInputDescriptor = 251;
inline constexpr std::string_view kInputPath = "/proc/self/fd/251";

// Returns `text` with every `mark` replaced.
inline std::string replace_mark(std::string text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
  return text;
}

}  // namespace rff
