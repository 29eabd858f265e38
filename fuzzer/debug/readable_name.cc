#include "fuzzer/debug/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzzer/debug/rust_name.h"

namespace rff {
namespace {

constexpr std::size_t kLongestName = 60;
constexpr std::string_view kOperator = "operator";

// Returns the end of "operator()", "operator<<" and so on, whose characters are no brackets; `at`
// if there is none.
std::size_t after_operator(std::string_view name, std::size_t at) {
  if (!name.substr(at).starts_with(kOperator)) {
    return at;
  }
  std::size_t end = at + kOperator.size();
  if (name.substr(end).starts_with("()")) {
    return end + 2;
  }
  while (end < name.size() && std::string_view("<>=-!&|").find(name[end]) != name.npos) {
    ++end;
  }
  return end;
}

// Removes return type and parameters, which only distinguish overloads.
std::string_view name_alone(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::size_t end = after_operator(name, i); end > i) {
      if (end < name.size() && name[end] == ' ') {
        ++end;  // operator new, operator bool
      }
      i = end - 1;
      continue;
    }
    bool parameters = name[i] == '(' && depth == 0 && i > begin;
    if (parameters && !name.substr(i).starts_with("(anonymous")) {
      return name.substr(begin, i - begin);
    }
    std::string_view open = "<({", close = ">)}";
    depth += open.find(name[i]) != open.npos ? 1 : close.find(name[i]) != close.npos ? -1 : 0;
    if (name[i] == ' ' && depth == 0) {
      begin = i + 1;
    }
  }
  return name;
}

std::string without_template_arguments(std::string_view name) {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::size_t end = after_operator(name, i); end > i && depth == 0) {
      text += name.substr(i, end - i);
      i = end - 1;
      continue;
    }
    depth -= name[i] == '>' ? 1 : 0;
    if (depth == 0) {
      text += name[i];
    }
    if (name[i] == '<' && depth++ == 0) {
      text += "...";
    }
  }
  return text;
}

// Older Rust names end in a hash and encode characters that C++ names cannot contain:
// _$LT$alloc..vec..Vec$LT$T$GT$$GT$::push::h0123456789abcdef
std::string without_rust_spelling(std::string name) {
  constexpr std::size_t kHash = 19;  // ::h and 16 digits
  std::size_t end = name.size() - std::min(name.size(), kHash);
  if (end == 0 || name.compare(end, 3, "::h") != 0 ||
      name.find_first_not_of("0123456789abcdef", end + 3) != std::string::npos) {
    return name;
  }
  name.resize(end);
  constexpr std::string_view kSpellings[][2] = {
      {"_$", "$"},    {"$LT$", "<"},  {"$GT$", ">"},  {"$C$", ","},   {"$RF$", "&"},
      {"$BP$", "*"},  {"$LP$", "("},  {"$RP$", ")"},  {"$u20$", " "}, {"$u27$", "'"},
      {"$u5b$", "["}, {"$u5d$", "]"}, {"$u7b$", "{"}, {"$u7d$", "}"}, {"..", "::"}};
  for (const auto& [spelled, meant] : kSpellings) {
    for (std::size_t at = 0; (at = name.find(spelled, at)) != std::string::npos;) {
      name.replace(at, spelled.size(), meant);
      at += spelled == "_$" ? 1 : meant.size();
    }
  }
  return name;
}

std::string demangled(const char* symbol) {
  // Without the prefix the demangler would read a type: `f` as float.
  bool mangled = std::string_view(symbol).starts_with("_Z");
  int status = 0;
  char* plain = mangled ? abi::__cxa_demangle(symbol, nullptr, nullptr, &status) : nullptr;
  std::string whole = plain != nullptr ? plain : symbol;
  std::free(plain);
  return whole;
}

}  // namespace

std::string readable_variable(const char* symbol) {
  if (std::optional<std::string> rust = rust_name(symbol)) {
    return *rust;
  }
  std::string whole = demangled(symbol);
  return whole.size() > kLongestName ? without_template_arguments(whole) : whole;
}

std::string readable_name(const char* symbol) {
  if (std::optional<std::string> rust = rust_name(symbol)) {
    return *rust;
  }
  std::string whole = demangled(symbol);
  if (std::string rust = without_rust_spelling(whole); rust != whole) {
    return rust;
  }
  std::string result(name_alone(whole));
  return result.size() > kLongestName ? without_template_arguments(result) : result;
}

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace rff
