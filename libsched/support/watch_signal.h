// The signal with which the watchdog inspects the running thread (report/watchdog.h).
#pragma once

#include <cstdint>

namespace rff {

inline constexpr int kWatchSignal = 63;
inline constexpr std::uint64_t kWatchSignalBit = std::uint64_t{1} << (kWatchSignal - 1);

}  // namespace rff
