// Makes the first instruction of each function a site, so that calls can be stop points.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Call after all else that looks at sites, since they get new numbers. An entry is a site of its
// own (SiteKind::kEntry), or the flag kFirst of an access with which the function begins.
void add_call_sites(Program& program);

// Returns whether a function is patched code that the program itself has: neither the compiler's
// start-up code nor a sanitizer's runtime.
bool is_program_code(const Program& program, const Function& function);

}  // namespace rff::instrument
