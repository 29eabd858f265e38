// What a file has of a sanitizer: whether it can be patched at all, the runtime that may be linked
// into it, and the accesses that the sanitizer has added to its code.
#pragma once

#include <string>

#include "instrument/elf_file.h"
#include "instrument/program.h"
#include "schedule/hook.h"

namespace rff::instrument {

struct Sanitizer {
  std::string refused;  // why such a file cannot be patched, and what to do; empty: it can be
  bool checks_shadow = false;  // AddressSanitizer's
  hook::SanitizerNote linked{};
};

Sanitizer find_sanitizer(const ElfFile& file);

// Neither what the linked runtime does nor what its checks read is an access of the program: these
// are no sites from now on.
void forget_sanitizer(const Sanitizer& sanitizer, Program& program);

}  // namespace rff::instrument
