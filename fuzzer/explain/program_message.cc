#include "fuzzer/explain/program_message.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <vector>

namespace rff {
namespace {

constexpr std::size_t kLongest = 300;

using Lines = std::vector<std::string>;

std::string trimmed(const std::string& line) {
  std::size_t begin = line.find_first_not_of(" \t\r");
  std::size_t end = line.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

// Splits the output into lines, without terminal control sequences.
Lines lines_of(std::string_view printed) {
  static const std::regex kColour("\x1b\\[[0-9;]*[A-Za-z]");
  Lines lines;
  while (!printed.empty()) {
    std::size_t end = std::min(printed.find('\n'), printed.size());
    std::string line(printed.substr(0, std::min(end, 4 * kLongest)));
    for (char& c : line) {
      c = c == '\0' ? ' ' : c;
    }
    lines.push_back(std::regex_replace(line, kColour, ""));
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return lines;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns the lines after `at` up to an empty line or one that `ends` the message.
Lines block(const Lines& lines, std::size_t at, const std::regex& ends) {
  constexpr std::size_t kMost = 12;
  Lines result;
  for (std::size_t i = at + 1; i < lines.size() && result.size() < kMost; ++i) {
    if (trimmed(lines[i]).empty() || std::regex_search(lines[i], ends)) {
      break;
    }
    result.push_back(trimmed(lines[i]));
  }
  return result;
}

// Joins lines such as "Expected equality of these values:", "counter", "2".
std::string in_one_line(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "" : text.back() == ':' ? " " : ", ") + line;
  }
  return text;
}

const std::regex& section_mark() {
  static const std::regex kMark("^\\[ *[A-Z]+ *\\]|^\\.{10}|^-{10}|^={10}|^note: ");
  return kMark;
}

// A message format: takes a line and returns the message that begins there.
using Form = std::optional<std::string> (*)(const Lines&, std::size_t);

std::optional<std::string> google_test(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^(\\S+:\\d+): Failure$");
  std::smatch m;
  if (!std::regex_match(lines[at], m, kBegin)) {
    return std::nullopt;
  }
  Lines said = block(lines, at, section_mark());
  std::erase_if(said, [](const std::string& line) { return line.starts_with("Which is: "); });
  return file_name(m[1]) + ": " + in_one_line(said);
}

std::optional<std::string> catch2(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^(\\S+:\\d+): FAILED:$");
  std::smatch m;
  if (!std::regex_match(lines[at], m, kBegin)) {
    return std::nullopt;
  }
  return file_name(m[1]) + ": " + in_one_line(block(lines, at, section_mark()));
}

std::optional<std::string> doctest(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^(\\S+:\\d+): (?:FATAL )?ERROR: (.*?)!?$");
  std::smatch m;
  if (!std::regex_match(lines[at], m, kBegin)) {
    return std::nullopt;
  }
  Lines said = block(lines, at, section_mark());
  said.insert(said.begin(), m[2]);
  return file_name(m[1]) + ": " + in_one_line(said);
}

std::optional<std::string> boost_test(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^(\\S+)\\((\\d+)\\): (?:fatal )?error: in \"[^\"]*\": (.*)$");
  std::smatch m;
  return std::regex_match(lines[at], m, kBegin)
             ? std::optional(file_name(m[1]) + ":" + m[2].str() + ": " + m[3].str())
             : std::nullopt;
}

std::optional<std::string> rust_panic(const Lines& lines, std::size_t at) {
  static const std::regex kOld("^thread '.*' panicked at '(.*)', (\\S+):(\\d+):\\d+$");
  static const std::regex kNew("^thread '.*'(?: \\(\\d+\\))? panicked at (\\S+):(\\d+):\\d+:$");
  std::smatch m;
  if (std::regex_match(lines[at], m, kOld)) {
    return file_name(m[2]) + ":" + m[3].str() + ": " + m[1].str();
  }
  if (!std::regex_match(lines[at], m, kNew)) {
    return std::nullopt;
  }
  return file_name(m[1]) + ":" + m[2].str() + ": " + in_one_line(block(lines, at, section_mark()));
}

// glog, Abseil: "F1116 16:15:45.000000  1234 t.cc:5] Check failed: x == y (1 vs. 2)"
std::optional<std::string> fatal_log(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^F\\d{4,8} [0-9:.]+ +\\d+ (\\S+:\\d+)\\] (.*)$");
  std::smatch m;
  return std::regex_match(lines[at], m, kBegin) ? std::optional(file_name(m[1]) + ": " + m[2].str())
                                                : std::nullopt;
}

std::optional<std::string> sanitizer(const Lines& lines, std::size_t at) {
  static const std::regex kAddress(
      "^=*\\d*=*ERROR: ((?:Address|Leak)Sanitizer: [^(]*?)"
      "(?: on (?:unknown )?address.*| \\(.*)?$");
  static const std::regex kUndefined("^(\\S+?:\\d+)(?::\\d+)?: (runtime error: .*)$");
  std::smatch m;
  if (std::regex_match(lines[at], m, kAddress)) {
    return m[1].str();
  }
  return std::regex_match(lines[at], m, kUndefined)
             ? std::optional(file_name(m[1]) + ": " + m[2].str())
             : std::nullopt;
}

// Finds the text that a C++ program prints for an uncaught exception.
std::optional<std::string> terminated(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^terminate called after throwing an instance of '(.*)'$");
  static const std::regex kWhat("^  what\\(\\):  (.*)$");
  std::smatch m;
  if (!std::regex_match(lines[at], m, kBegin)) {
    return std::nullopt;
  }
  std::string type = m[1];
  return "uncaught exception " + type +
         (at + 1 < lines.size() && std::regex_match(lines[at + 1], m, kWhat) ? ": " + m[1].str()
                                                                             : "");
}

// Assertions of the C library and of ours: "prog: t.c:5: main: Assertion `x' failed."
std::optional<std::string> assertion(const Lines& lines, std::size_t at) {
  static const std::regex kBegin("^(?:\\S+: )?(\\S+:\\d+): .*(?:[Aa]ssertion `(.*)' failed\\.?)$");
  std::smatch m;
  return std::regex_match(lines[at], m, kBegin)
             ? std::optional(file_name(m[1]) + ": assertion `" + m[2].str() + "' failed")
             : std::nullopt;
}

constexpr Form kForms[] = {google_test, catch2,    doctest,    boost_test, rust_panic,
                           fatal_log,   sanitizer, terminated, assertion};

std::string shortened(std::string text) {
  if (text.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
      --end;  // do not split a UTF-8 character
    }
    text = text.substr(0, end) + "...";
  }
  return text;
}

}  // namespace

ProgramMessage program_message(std::string_view printed) {
  Lines lines = lines_of(printed);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(':') == std::string::npos && lines[i].find("terminate") != 0) {
      continue;
    }
    for (Form form : kForms) {
      if (auto text = form(lines, i)) {
        return {shortened(*text), true};
      }
    }
  }
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!trimmed(*line).empty()) {
      return {shortened(trimmed(*line)), false};
    }
  }
  return {};
}

std::string summary_with_message(const Finding& finding, const std::string& words,
                                 const ProgramMessage& message) {
  bool aborted = finding.kind == FindingKind::kCrash &&
                 (finding.failure.facts.cause == CrashCause::kAbort ||
                  finding.failure.facts.cause == CrashCause::kException);
  if (message.text.empty() || (!aborted && finding.kind != FindingKind::kExit)) {
    return words;
  }
  return message.known ? message.text : words + ": " + message.text;
}

}  // namespace rff
