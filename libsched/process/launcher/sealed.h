// Handles mappings that cannot be removed: some kernels seal the vDSO.
#pragma once

#include <cstdint>

namespace rff::placement {

// Unmaps every mapping between the two addresses that is not sealed, and reserves the rest.
bool reserve_around_sealed(std::uint64_t begin, std::uint64_t end);

}  // namespace rff::placement
