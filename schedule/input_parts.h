// An input of several parts: several files, or several arguments. `@@1`, `@@2`, … stand for them in
// the arguments of the program; their number is the name of the input.
//
// Every byte string is divided into any number of parts, and any parts can be joined:
//   - the last part is all the rest, as it is;
//   - in the others 00 ff is a zero byte, 00 00 ends the part, and so does 00 before anything else;
//   - parts that are missing are empty.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/program_input.h"

namespace rff {

// One digit numbers a part.
inline constexpr std::size_t kMostParts = 9;

// Returns the number of parts; 0: the input is one text, named by the mark alone.
inline std::size_t parts_of(const ProgramInput& input) {
  bool may_have =
      input.way == ProgramInput::Way::kFile || input.way == ProgramInput::Way::kArgument;
  bool numbered = input.name.size() == 1 && input.name[0] >= '1' && input.name[0] <= '9';
  return may_have && numbered ? static_cast<std::size_t>(input.name[0] - '0') : 0;
}

inline std::vector<std::string> split_parts(std::string_view bytes, std::size_t count) {
  std::vector<std::string> parts(count);
  std::size_t at = 0;
  for (std::size_t part = 0; part + 1 < count; ++part) {
    for (bool ended = at >= bytes.size(); !ended; ended |= at >= bytes.size()) {
      if (bytes[at] != '\0') {
        parts[part] += bytes[at++];
        continue;
      }
      char next = at + 1 < bytes.size() ? bytes[at + 1] : '\1';
      ended = next != '\xff';
      if (!ended) {
        parts[part] += '\0';
      }
      at += ended && next != '\0' ? 1 : 2;
    }
  }
  if (count > 0 && at < bytes.size()) {
    parts.back() = bytes.substr(at);
  }
  return parts;
}

// Returns bytes that are divided into these parts.
inline std::string join_parts(const std::vector<std::string>& parts) {
  std::string bytes;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (part + 1 == parts.size()) {
      return bytes + parts[part];
    }
    for (char c : parts[part]) {
      bytes += c;
      bytes += c == '\0' ? "\xff" : "";
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

// Returns the parts of the input as the program gets them; one if it is not divided.
inline std::vector<std::string> program_texts(const ProgramInput& input) {
  std::size_t parts = parts_of(input);
  return parts == 0 ? std::vector<std::string>{input.bytes} : split_parts(input.bytes, parts);
}

// Whether the program gets all of the bytes: a text of the operating system ends at a zero byte.
inline bool arrives_whole(const ProgramInput& input) {
  if (input.is_text()) {
    for (const std::string& text : program_texts(input)) {
      if (text.find('\0') != std::string::npos) {
        return false;
      }
    }
  }
  return true;
}

// Returns the mark of a part, counted from 0, where `mark` stands for an input without parts.
inline std::string part_mark(std::string_view mark, const ProgramInput& input, std::size_t part) {
  return std::string(mark) + (parts_of(input) > 0 ? std::to_string(part + 1) : "");
}

// The file of a part, counted from 0.
inline std::string input_path(std::size_t part) {
  return "/proc/self/fd/" + std::to_string(kInputDescriptor + static_cast<int>(part));
}

}  // namespace rff
