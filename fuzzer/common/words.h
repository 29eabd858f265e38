// Small text functions that several reports use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rff {

// Returns "1 run", "2 runs".
inline std::string count(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

// Quotes a word for a shell if necessary.
inline std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

// Shortens a text to so many columns, between words. Columns are counted in bytes.
inline std::string shortened(const std::string& text, std::size_t columns) {
  constexpr std::string_view kCut = " ...";
  if (text.size() <= columns) {
    return text;
  }
  std::size_t room = columns - kCut.size();
  std::size_t end = text.rfind(' ', room);
  if (end == std::string::npos || end < room / 2) {
    end = room;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;  // do not split a UTF-8 character
    }
  }
  return text.substr(0, end) + std::string(kCut);
}

}  // namespace rff
