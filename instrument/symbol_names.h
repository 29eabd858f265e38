// Names of a module's symbols.
#pragma once

#include <string_view>
#include <vector>

#include "instrument/elf_file.h"

namespace rff::instrument {

// Returns the names of all symbols, including undefined ones. They live as long as the file.
std::vector<std::string_view> symbol_names(const ElfFile& file);

}  // namespace rff::instrument
