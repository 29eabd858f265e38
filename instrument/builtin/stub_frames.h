// Builds unwind information for stubs: their frames unwind to the original address of the site,
// with the program's registers.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/builtin/stubs.h"

namespace rff::instrument::builtin {

// Returns call frame instructions from the stub's begin on, for a CIE with CFA = rsp + 8.
std::vector<std::uint8_t> stub_frame_program(const AccessStubFrame& stub,
                                             const ModuleAddresses& module);
std::vector<std::uint8_t> stub_frame_program(const ComplexStubFrame& stub,
                                             const ModuleAddresses& module);

}  // namespace rff::instrument::builtin
