// Reads dictionaries in AFL++'s format: lines of the form name="word", the name optional, with \\,
// \" and \xNN in the word; # begins a comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rff {

struct ParsedDictionary {
  std::vector<std::string> words;
  std::string error;  // "line 3: …"; empty if there is none
};
ParsedDictionary parse_dictionary(std::string_view text);

}  // namespace rff
