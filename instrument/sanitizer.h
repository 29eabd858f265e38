// Finds traces of a sanitizer in a file: whether the file can be patched at all, the runtime that
// may be linked into it, and the accesses that the sanitizer has added to its code.
#pragma once

#include <string>

#include "instrument/elf_file.h"
#include "instrument/program.h"
#include "schedule/hook.h"

namespace rff::instrument {

struct Sanitizer {
  std::string refused;         // why the file cannot be patched, and what to do; empty if it can be
  bool checks_shadow = false;  // it has AddressSanitizer's checks
  hook::SanitizerNote linked{};
};

Sanitizer find_sanitizer(const ElfFile& file);

// Removes the sites in the linked runtime's code and the sites of its checks: they are no accesses
// of the program.
void forget_sanitizer(const Sanitizer& sanitizer, Program& program);

}  // namespace rff::instrument
