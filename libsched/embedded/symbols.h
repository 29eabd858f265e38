// Names of functions and variables from the symbol tables of files, also of those that are not
// exported. For reports: it reads the file each time.
#pragma once

#include <cstdint>
#include <string>

namespace rff::embedded {

// Returns the name of what lies at `offset` from the load bias of the file, readable also for C++;
// empty if that is unknown.
std::string symbol_at(const std::string& file, std::uint64_t offset);

}  // namespace rff::embedded
