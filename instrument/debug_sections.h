// Builds section headers and symbols for the copies, so that debuggers and profilers name them.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/elf_file.h"

namespace rff::instrument {

struct CopiedFunction {
  std::uint64_t original;
  std::uint64_t copy;
  std::uint64_t size;
};

struct CopiedCode {
  std::uint64_t address = 0;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
  std::vector<CopiedFunction> functions;  // sorted by `original`
};

// The bytes to append to the file, and the position of the section header table in it.
struct DebugSections {
  std::vector<std::uint8_t> bytes;
  std::uint64_t table_offset = 0;  // in the file
  std::uint16_t count = 0;         // 0: the file has no usable section headers; change nothing
};

// `image`: the file, with all section headers final except for the new ones. The result must be
// written at `offset`.
DebugSections build_debug_sections(const ElfFile& file, const std::vector<std::uint8_t>& image,
                                   const CopiedCode& code, std::uint64_t offset);

}  // namespace rff::instrument
