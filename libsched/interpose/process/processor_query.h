// Answers the instruction cpuid: the real processor's features, and the topology of the machine
// that the program sees (processors.h).
#pragma once

#include <cstdint>

namespace rff {

struct ProcessorReply {
  std::uint32_t a, b, c, d;
};
ProcessorReply query_processor(std::uint32_t leaf, std::uint32_t subleaf);

}  // namespace rff
