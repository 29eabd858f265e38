// Converts symbols of C++ and Rust to the names that reports show.
#pragma once

#include <cstdint>
#include <string>

namespace rff {

// Returns a C++ name as in the source, without parameters: reports are about places, not
// signatures.
std::string readable_name(const char* symbol);
// The same for data: "guard variable for entry()::instance".
std::string readable_variable(const char* symbol);

std::string hex(std::uint64_t value);

}  // namespace rff
