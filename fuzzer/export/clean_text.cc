#include "fuzzer/export/clean_text.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

namespace rff {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: no valid UTF-8
};

Character decode(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  struct Form {
    unsigned mask, head;
    std::size_t length;
    std::uint32_t least;
  };
  constexpr Form kForms[] = {
      {0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
  for (const Form& form : kForms) {
    if ((byte(0) & form.mask) != form.head || text.size() < form.length) {
      continue;
    }
    std::uint32_t code = byte(0) & ~form.mask;
    for (std::size_t i = 1; i < form.length; ++i) {
      if ((byte(i) & 0xc0) != 0x80) {
        return {};
      }
      code = code << 6 | (byte(i) & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < form.least || code > 0x10ffff || surrogate ? Character{}
                                                             : Character{code, form.length};
  }
  return {};
}

bool allowed(std::uint32_t code) {
  bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return code == '\n' || code == '\t' || (!control && code != 0xfffe && code != 0xffff);
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    Character c = decode(text);
    if (c.length > 0 && allowed(c.code)) {
      result += text.substr(0, c.length);
    } else if (c.code != '\r') {  // of a line break of another system
      result += "\xef\xbf\xbd";
    }
    text.remove_prefix(c.length > 0 ? c.length : 1);
  }
  return result;
}

std::string html_text(std::string_view text) {
  std::string result;
  for (char c : clean_text(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string uri_text(std::string_view path) {
  std::string result;
  for (char c : path) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view("-._~/").find(c) != std::string_view::npos;
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
    result += plain ? std::string(1, c) : escaped;
  }
  return result;
}

}  // namespace rff
