// Makes the first instruction of each function a site, so that calls can be stop points.
#pragma once

#include "instrument/program.h"

namespace rff::instrument {

// Call after all else that looks at sites, since they get new numbers. An entry is a site of its
// own (SiteKind::kEntry), or the flag kFirst of an access with which the function begins.
void add_call_sites(Program& program);

}  // namespace rff::instrument
