// A text of bounded length stored in place, for shared memory and plain records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rff {

template <std::size_t kCapacity>
struct SharedText {
  char text[kCapacity];
  void set(std::string_view s) {
    std::size_t n = s.size() < kCapacity - 1 ? s.size() : kCapacity - 1;
    std::memcpy(text, s.data(), n);
    text[n] = 0;
  }
  void append(std::string_view s) {
    std::size_t at = view().size();
    std::size_t n = std::min(s.size(), kCapacity - 1 - at);
    std::memcpy(text + at, s.data(), n);
    text[at + n] = 0;
  }
  std::string_view view() const { return {text, ::strnlen(text, kCapacity)}; }
};

}  // namespace rff
