// The stacks on which patched code reports accesses that do not stop: programs read what lies below
// their stack pointer, and not every run reports an access in the same way.
#pragma once

#include <cstdint>

namespace rff {

// Whether code with these registers is in a hook, or elsewhere in the runtime where a handler of
// the program must not run: it would enter the same hook again. Entries of hooks lie in the section
// rff_entries.
bool in_hook(std::uint64_t rip, std::uint64_t rsp);

}  // namespace rff
