#include "fuzzer/common/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace rff {

std::string readable_name(const char* symbol) {
  // Without the prefix it would be read as a type: `f` as float.
  bool mangled = std::string_view(symbol).starts_with("_Z");
  int status = 0;
  char* plain = mangled ? abi::__cxa_demangle(symbol, nullptr, nullptr, &status) : nullptr;
  std::string result = plain != nullptr ? plain : symbol;
  std::free(plain);
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
