// Names of Rust functions and variables, as its compiler encodes them since 1.95 (version 0:
// _RNvC4race4main).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rff {

// Returns what the symbol means, without hashes and without the types that a function is made for:
// race::main, <race::Log as core::ops::drop::Drop>::drop. Empty if it is no such symbol.
std::optional<std::string> rust_name(std::string_view symbol);

}  // namespace rff
