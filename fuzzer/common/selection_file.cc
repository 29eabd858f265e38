#include "fuzzer/common/selection_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  line = line.substr(0, line.find('#'));
  std::size_t first = line.find_first_not_of(kSpaces);
  return first == std::string_view::npos
             ? ""
             : line.substr(first, line.find_last_not_of(kSpaces) + 1 - first);
}

std::optional<CodeName> code_name(std::string_view text) {
  constexpr std::string_view kBefore = "+0x";
  std::size_t plus = text.rfind(kBefore);
  if (plus == std::string_view::npos || plus == 0) {
    return std::nullopt;
  }
  CodeName name = {module_hash(text.substr(0, plus)), 0};
  const char* end = text.data() + text.size();
  auto [read, error] = std::from_chars(text.data() + plus + kBefore.size(), end, name.offset, 16);
  return error == std::errc() && read == end ? std::optional(name) : std::nullopt;
}

}  // namespace

EventSelection selection_of(const SearchChoice& choice) {
  EventSelection selection = {choice.select_by, {}};
  if (choice.select_by != EventSelection::By::kListed) {
    return selection;
  }
  std::string path(choice.selected.data());
  std::optional<std::string> text = read_file(path, kMostBytes);
  if (!text) {
    throw bad_usage("--scheduler surw:set=" + path + ": cannot be read");
  }
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::string_view place = trimmed(line);
    if (place.empty()) {
      continue;
    }
    std::optional<CodeName> name = code_name(place);
    if (!name) {
      throw bad_usage(path + ":" + std::to_string(number) +
                      ": must be a place in code, PROGRAM+0xOFFSET");
    }
    selection.sites.push_back(*name);
  }
  if (selection.sites.empty()) {
    throw bad_usage("--scheduler surw:set=" + path + ": lists no place in code");
  }
  std::sort(selection.sites.begin(), selection.sites.end());
  return selection;
}

void make_selection_absolute(SearchChoice& choice) {
  if (choice.select_by != EventSelection::By::kListed) {
    return;
  }
  std::string path = std::filesystem::absolute(choice.selected.data()).string();
  if (path.size() >= choice.selected.size()) {
    throw bad_usage("--scheduler surw:set=FILE: the path is too long");
  }
  choice.selected = {};
  std::copy(path.begin(), path.end(), choice.selected.begin());
}

}  // namespace rff
