// Texts of programs under test, made fit for formats that take only valid UTF-8 without control
// characters.
#pragma once

#include <string>
#include <string_view>

namespace rff {

// Replaces bytes that are no UTF-8, characters that XML forbids, and control characters other than
// line breaks and tabs by U+FFFD.
std::string clean_text(std::string_view text);

// Escapes '&', '<', '>' and quotes; cleans the text first.
std::string html_text(std::string_view text);

// Returns a URI reference: every byte but letters, digits and "-._~/" is escaped.
std::string uri_text(std::string_view path);

}  // namespace rff
