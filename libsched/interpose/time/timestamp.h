// The processor's time stamp counter, as rdtsc shows it.
#pragma once

#include <cstdint>

namespace rff {

// Virtual time since the machine started, at 1 GHz. Reading it takes time, as of every clock.
std::uint64_t read_timestamp();

}  // namespace rff
