#include "fuzzer/common/stop_spec.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr char kGrammar[] =
    "function:NAME, file:NAME, variable:NAME, calls, accesses or primitives (and may end with "
    "' in:FUNCTION')";
constexpr char kFiles[] = "file:NAME, file:NAME:LINE or file:NAME:FIRST-LAST";
constexpr char kEverywhere[] = "primitives alone, which are stop points everywhere";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

bool read_line(std::string_view text, int& line) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  return error == std::errc() && end == text.data() + text.size() && line > 0;
}

// Takes ":LINE" or ":LINE-LINE" from the end of the pattern, if it has that.
bool read_lines(StopSpec& spec) {
  std::size_t colon = spec.pattern.rfind(':');
  if (colon == std::string::npos) {
    return true;
  }
  std::string_view lines = std::string_view(spec.pattern).substr(colon + 1);
  std::size_t dash = lines.find('-');
  std::string_view last = dash == std::string_view::npos ? lines : lines.substr(dash + 1);
  if (!read_line(lines.substr(0, dash), spec.first_line) || !read_line(last, spec.last_line) ||
      spec.last_line < spec.first_line) {
    return false;
  }
  spec.pattern.resize(colon);
  return true;
}

// Returns what the text must be; empty if it is that.
std::string read_kind(std::string_view text, StopSpec& spec) {
  struct Word {
    std::string_view name;
    StopSpec::Kind kind;
  };
  using Kind = StopSpec::Kind;
  for (const Word& word : {Word{"primitives", Kind::kPrimitives}, Word{"accesses", Kind::kAccesses},
                           Word{"calls", Kind::kCalls}}) {
    if (text == word.name) {
      spec.kind = word.kind;
      return word.kind == Kind::kPrimitives && !spec.within.empty() ? kEverywhere : "";
    }
  }
  for (const Word& word : {Word{"function:", Kind::kFunction}, Word{"file:", Kind::kFile},
                           Word{"variable:", Kind::kVariable}}) {
    if (text.starts_with(word.name)) {
      spec.kind = word.kind;
      spec.pattern = text.substr(word.name.size());
      bool lines = word.kind != Kind::kFile || read_lines(spec);
      return !lines ? kFiles : spec.pattern.empty() ? kGrammar : "";
    }
  }
  return kGrammar;
}

bool matches(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// Returns what follows the last "::" outside of template arguments.
std::string last_part(const std::string& name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    depth += name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
    if (depth == 0 && name[i] == ':' && name[i - 1] == ':') {
      return name.substr(i + 1);
    }
  }
  return name;
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

ParsedStopSpec parse_stop_spec(std::string_view text) {
  StopSpec spec;
  spec.text = trimmed(text);
  std::string_view rest = spec.text;
  constexpr std::string_view kWithin = " in:";
  if (std::size_t at = rest.rfind(kWithin); at != std::string_view::npos) {
    spec.within = trimmed(rest.substr(at + kWithin.size()));
    rest = trimmed(rest.substr(0, at));
    if (spec.within.empty()) {
      return {std::nullopt, kGrammar};
    }
  }
  std::string error = read_kind(rest, spec);
  return error.empty() ? ParsedStopSpec{std::move(spec), ""} : ParsedStopSpec{std::nullopt, error};
}

std::vector<std::string> texts_of(const std::vector<StopSpec>& specs) {
  std::vector<std::string> texts;
  for (const StopSpec& spec : specs) {
    texts.push_back(spec.text);
  }
  return texts;
}

std::vector<StopSpec> read_stop_file(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) {
    throw bad_usage("--stop-at-file " + path + ": cannot be read");
  }
  std::vector<StopSpec> specs;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text->size();) {
    std::size_t end = std::min(text->find('\n', begin), text->size());
    std::string_view line = std::string_view(*text).substr(begin, end - begin);
    line = trimmed(line.substr(0, line.find('#')));
    begin = end + 1;
    ++number;
    if (line.empty()) {
      continue;
    }
    ParsedStopSpec parsed = parse_stop_spec(line);
    if (!parsed.spec) {
      throw bad_usage("--stop-at-file " + path + ", line " + std::to_string(number) + ": must be " +
                      parsed.error);
    }
    specs.push_back(std::move(*parsed.spec));
  }
  if (specs.empty()) {
    throw bad_usage("--stop-at-file " + path + ": has no stop points");
  }
  return specs;
}

bool matches_name(const std::string& pattern, const std::string& name) {
  std::string whole = name;
  for (const char* suffix : {".cold", ".part.", ".isra.", ".constprop."}) {
    if (std::size_t at = whole.find(suffix); at != std::string::npos && at > 0) {
      whole.resize(at);
    }
  }
  return matches(pattern, name) || matches(pattern, whole) || matches(pattern, last_part(whole));
}

bool matches_file(const std::string& pattern, const std::string& path) {
  if (path.empty()) {
    return false;
  }
  auto parts = std::count(pattern.begin(), pattern.end(), '/') + 1;
  std::size_t at = path.size();
  while (parts > 0 && at != std::string::npos && at > 0) {
    at = path.rfind('/', at - 1);
    --parts;
  }
  return matches(pattern, path) ||
         (at != std::string::npos && matches(pattern, path.substr(at + 1)));
}

std::vector<std::string> nearest_names(const std::string& pattern, std::vector<std::string> names,
                                       std::size_t most) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::pair<std::size_t, std::string>> by_distance;
  for (std::string& name : names) {
    std::size_t near = std::min(distance(pattern, name), distance(pattern, last_part(name)));
    by_distance.emplace_back(near, std::move(name));
  }
  std::sort(by_distance.begin(), by_distance.end());
  by_distance.resize(std::min(most, by_distance.size()));
  names.clear();
  for (auto& [near, name] : by_distance) {
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rff
