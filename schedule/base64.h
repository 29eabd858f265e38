// Base64, for bytes that have to be text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace rff {

namespace base64_parts {
inline constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}  // namespace base64_parts

inline std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= n ? base64_parts::kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}
// Returns nothing if the text has other characters.
inline std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (char c : text.substr(0, text.find('='))) {
    const char* digit = c == 0 ? nullptr : std::strchr(base64_parts::kDigits, c);
    if (digit == nullptr) {
      return std::nullopt;
    }
    group = group << 6 | static_cast<std::uint32_t>(digit - base64_parts::kDigits);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 255);
    }
  }
  return bytes;
}

}  // namespace rff
