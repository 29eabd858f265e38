#include "fuzzer/common/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace rff {
namespace {

// Rust names end in a hash of their own and spell what C++ names cannot contain:
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

}  // namespace

std::string readable_name(const char* symbol) {
  // Without the prefix it would be read as a type: `f` as float.
  bool mangled = std::string_view(symbol).starts_with("_Z");
  int status = 0;
  char* plain = mangled ? abi::__cxa_demangle(symbol, nullptr, nullptr, &status) : nullptr;
  std::string result = plain != nullptr ? plain : symbol;
  std::free(plain);
  std::string rust = without_rust_spelling(result);
  if (rust != result) {
    return rust;
  }
  int depth = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    depth += result[i] == '<' ? 1 : result[i] == '>' ? -1 : 0;
    if (result[i] == '(' && depth == 0 && i > 0 && !result.substr(i).starts_with("(anonymous")) {
      return result.substr(0, i);
    }
  }
  return result;
}

}  // namespace rff
