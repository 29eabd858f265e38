// Looks up functions in one library. The loader's own lookup returns the first library that has
// the name, and its handles cost memory that a leak checker finds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rff {

// Returns the address of a symbol that the library exports; 0 if it exports none. `begin`: where
// its first page is mapped. Requires: the library has a GNU hash table, as all of Debian's have.
std::uint64_t library_symbol(std::uint64_t begin, std::uint64_t bias, std::string_view name);

// Returns whether the library or program imports one of the names; true if that cannot be seen.
bool may_import(std::uint64_t begin, std::uint64_t bias, std::span<const char* const> names);

}  // namespace rff
