// The one machine that every program sees, whatever it runs on. Processors: see processors.h.
#pragma once

#include <cstdint>

namespace rff::machine {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kMemory = 4ULL << 30;
inline constexpr std::uint64_t kFreeMemory = kMemory / 2;

// The name is one that every machine can resolve.
inline constexpr char kHostName[] = "localhost";
inline constexpr char kDomainName[] = "(none)";
inline constexpr char kRelease[] = "6.1.0";
inline constexpr char kVersion[] = "#1 SMP";
inline constexpr char kBootId[] = "7266662d-7275-4e73-a174-6f6e65626f6f";

inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kEpoch = 1'700'000'000ULL * kSecond;  // real time when a run begins
inline constexpr std::uint64_t kBoot = 1'000ULL * kSecond;           // since the machine started

}  // namespace rff::machine
