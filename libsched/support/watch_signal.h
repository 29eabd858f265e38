// The signal by which the runtime looks at the running thread from time to time
// (report/watchdog.h).
#pragma once

#include <cstdint>

namespace rff {

inline constexpr int kWatchSignal = 63;
inline constexpr std::uint64_t kWatchSignalBit = std::uint64_t{1} << (kWatchSignal - 1);

}  // namespace rff
