#include "schedule/checks.h"

#include <algorithm>
#include <charconv>

namespace rff {
namespace {

struct Word {
  std::string_view name;
  std::uint32_t bit;
};
constexpr Word kWords[] = {{"memory", kCheckMemory}, {"stack", kCheckStack}, {"strict", kCheckStrict}};

// Takes a number and the character behind it from the front of the text.
bool take(std::string_view& text, char behind, std::uint32_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != behind) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

}  // namespace

std::optional<std::uint32_t> parse_check_words(std::string_view text) {
  if (text == "none") {
    return 0;
  }
  std::uint32_t bits = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view name = text.substr(begin, end - begin);
    const Word* word = std::find_if(std::begin(kWords), std::end(kWords),
                                    [&](const Word& w) { return w.name == name; });
    if (word == std::end(kWords)) {
      return std::nullopt;
    }
    bits |= word->bit;
    begin = end + 1;
  }
  // A stricter check of the heap is a check of the heap.
  return (bits & kCheckStrict) != 0 ? bits | kCheckMemory : bits;
}

std::string check_words(std::uint32_t bits) {
  std::string text;
  for (const Word& word : kWords) {
    if ((bits & word.bit) != 0) {
      text += (text.empty() ? "" : ",") + std::string(word.name);
    }
  }
  return text.empty() ? "none" : text;
}

std::string checks_text(const Checks& checks) {
  std::string text = check_words(checks.bits);
  if (checks.quarantine != kDefaultQuarantine) {
    text += " --quarantine " + std::to_string(checks.quarantine);
  }
  for (const std::string& function : checks.ignored) {
    text += " --check-ignore " + function;
  }
  return text;
}

std::string checks_to_text(const Checks& checks) {
  std::string text = std::to_string(checks.bits) + ";" + std::to_string(checks.quarantine) + ";";
  for (const ModuleRange& r : checks.ignored_code) {
    text += std::to_string(r.module) + ":" + std::to_string(r.begin) + "-" + std::to_string(r.end) +
            ";";
  }
  return text;
}

std::optional<Checks> checks_from_text(std::string_view text) {
  Checks checks;
  bool good = take(text, ';', checks.bits) && take(text, ';', checks.quarantine) &&
              parse_check_words(check_words(checks.bits)) == checks.bits && checks.quarantine > 0 &&
              checks.quarantine <= kMaxQuarantine;
  while (good && !text.empty()) {
    ModuleRange r;
    good = take(text, ':', r.module) && take(text, '-', r.begin) && take(text, ';', r.end);
    checks.ignored_code.push_back(r);
  }
  return good && in_order(checks.ignored_code) ? std::optional(checks) : std::nullopt;
}

bool in_order(const std::vector<ModuleRange>& ranges) {
  bool ordered = std::all_of(ranges.begin(), ranges.end(),
                             [](const ModuleRange& range) { return range.begin < range.end; });
  for (std::size_t i = 1; i < ranges.size() && ordered; ++i) {
    const ModuleRange& before = ranges[i - 1];
    ordered = before.module < ranges[i].module ||
              (before.module == ranges[i].module && before.end <= ranges[i].begin);
  }
  return ordered;
}

}  // namespace rff
