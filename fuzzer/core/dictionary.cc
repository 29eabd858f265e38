#include "fuzzer/core/dictionary.h"

#include <charconv>

namespace rff {
namespace {

// Returns what is wrong with the word, or nothing.
std::string unescape(std::string_view quoted, std::string& word) {
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      word += quoted[i];
      continue;
    }
    std::string_view rest = quoted.substr(i + 1);
    unsigned value = 0;
    if (rest.starts_with('\\') || rest.starts_with('"')) {
      word += rest[0];
      i += 1;
    } else if (rest.size() >= 3 && rest[0] == 'x' &&
               std::from_chars(rest.data() + 1, rest.data() + 3, value, 16).ptr ==
                   rest.data() + 3) {
      word += static_cast<char>(value);
      i += 3;
    } else {
      return "after a backslash comes \\, \" or xNN";
    }
  }
  return word.empty() ? "the word is empty" : "";
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    line.remove_prefix(1);
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

ParsedDictionary parse_dictionary(std::string_view text) {
  ParsedDictionary dictionary;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t end = text.find('\n');
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    std::size_t open = line.find('"');
    std::string word;
    std::string wrong =
        open == std::string_view::npos || line.back() != '"' || open == line.size() - 1
            ? "a line is name=\"word\" or \"word\""
            : unescape(line.substr(open + 1, line.size() - open - 2), word);
    if (!wrong.empty()) {
      dictionary.error = "line " + std::to_string(number) + ": " + wrong;
      return dictionary;
    }
    dictionary.words.push_back(std::move(word));
  }
  return dictionary;
}

}  // namespace rff
