#include "libsched/interpose/process/processor_query.h"

#include <algorithm>
#include <bit>

#include "libsched/interpose/process/processors.h"
#include "libsched/support/instruction_traps.h"

namespace rff {
namespace {

enum Leaf : std::uint32_t {
  kFeatures = 1,
  kCaches = 4,
  kTopology = 0xb,
  kNewTopology = 0x1f,
  kAmdSizes = 0x8000'0008,
  kAmdTopology = 0x8000'001e,
};

// Cores are numbered from 0; this many bits hold their numbers.
std::uint32_t number_bits() { return static_cast<std::uint32_t>(std::bit_width(processors() - 1)); }

// Level 0: one thread in each core; level 1: all cores in the package.
ProcessorReply topology_level(std::uint32_t level) {
  constexpr std::uint32_t kThreads = 1 << 8, kCores = 2 << 8;
  std::uint32_t own = current_processor();
  switch (level) {
    case 0: return {0, 1, kThreads, own};
    case 1: return {number_bits(), processors(), kCores | 1, own};
    default: return {0, 0, level & 0xff, own};
  }
}

}  // namespace

ProcessorReply query_processor(std::uint32_t leaf, std::uint32_t subleaf) {
  ProcessorReply r = {leaf, 0, subleaf, 0};
  instruction_traps::execute_cpuid(&r.a, &r.b, &r.c, &r.d);
  std::uint32_t own = current_processor();
  std::uint32_t most = processors();
  constexpr std::uint32_t kByte = 0xff;
  switch (leaf) {
    case kFeatures:
      r.b = (r.b & 0xffff) | std::min(most, kByte) << 16 | std::min(own, kByte) << 24;
      break;
    case kCaches:
      if ((r.a & 0x1f) != 0) {  // a cache: private to its core, at most 64 cores are told
        r.a = (r.a & 0x3fff) | (std::bit_ceil(std::min(most, 64U)) - 1) << 26;
      }
      break;
    case kTopology:
    case kNewTopology: r = topology_level(subleaf); break;
    case kAmdSizes:
      r.c = (r.c & ~std::uint32_t{0xf0ff}) | std::min(most - 1, kByte) | number_bits() << 12;
      break;
    case kAmdTopology:
      r.a = own;
      r.b = std::min(own, kByte);
      r.c = 0;
      break;
    default: break;
  }
  return r;
}

}  // namespace rff
