// Guesses where a value comes from that differed when a run was repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fuzzer/run/run.h"

namespace rff {

// The world in which a run took place.
struct Surroundings {
  int process = 0;              // the run's process, as the system numbers it
  std::uint64_t real_time = 0;  // nanoseconds, when the run ended
  std::uint64_t uptime = 0;     // nanoseconds since the machine started, likewise
};
Surroundings surroundings_of(const Run& run);  // call when the run has just ended

enum class SourceKind { kUnknown, kAddress, kTime, kIdentity, kRandom, kFile, kLibrary, kOutside };

struct ValueSource {
  SourceKind kind = SourceKind::kUnknown;
  std::string words;  // "time: a reading of the real clock, in nanoseconds"
};

struct DifferingValue {
  std::uint64_t first = 0, second = 0;
  std::uint32_t size = 8;
};

// By the values alone: an address, a time, a process number, or a random number.
ValueSource source_by_value(const DifferingValue& value, const Surroundings& first,
                            const Surroundings& second);
// By what the thread asked of the world before the event; `e` is null if only control flow differs.
ValueSource source_by_query(const Trace& trace, const trace::EventInfo* e, std::uint64_t step,
                            std::uint32_t thread);
// The most telling of both, of libraries that are not patched, and of what the run touched outside.
ValueSource likely_source(const Run& run, const trace::EventInfo* e, std::uint64_t step,
                          std::uint32_t thread, const std::optional<DifferingValue>& value,
                          const Surroundings& first, const Surroundings& second);

}  // namespace rff
