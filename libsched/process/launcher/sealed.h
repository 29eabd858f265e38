// Mappings of the kernel's that nobody may take away: some kernels seal the vDSO.
#pragma once

#include <cstdint>

namespace rff::placement {

// Takes away every mapping between the two addresses that is not sealed, and reserves all that is
// left.
bool reserve_around_sealed(std::uint64_t begin, std::uint64_t end);

}  // namespace rff::placement
