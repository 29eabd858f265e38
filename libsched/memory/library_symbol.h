// Looks up functions in one library. The loader's own lookup returns the first library that has
// the name, and its handles cost memory that a leak checker finds.
#pragma once

#include <cstdint>
#include <string_view>

namespace rff {

// Returns the address of a symbol that the library exports; 0 if it exports none. `begin`: where
// its first page is mapped. Requires: the library has a GNU hash table, as all of Debian's have.
std::uint64_t library_symbol(std::uint64_t begin, std::uint64_t bias, std::string_view name);

// Returns whether `known` accepts every function that the library or program imports; false if
// these cannot be seen.
using KnowsFunction = bool (*)(const char* name, const void* context);
bool imports_only(std::uint64_t begin, std::uint64_t bias, KnowsFunction known,
                  const void* context);

}  // namespace rff
