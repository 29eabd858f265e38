#include "libsched/carrier/thread_cache.h"

#include <stdlib.h>

#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr int kBins = 64;

struct Cache {
  std::uint16_t counts[kBins];
  std::uint64_t* entries[kBins];
};

// What free() finds before a block of this size.
constexpr std::uint64_t kCacheChunk = (sizeof(Cache) + 16) | 1;

std::uint64_t* next_in_bin(std::uint64_t* entry) {
  return reinterpret_cast<std::uint64_t*>(*entry ^ (reinterpret_cast<std::uint64_t>(entry) >> 12));
}

}  // namespace

void ThreadCache::inspect(std::uint64_t fs_base, std::size_t tls_bytes) {
  constexpr std::size_t kProbe = 40;  // in bin 1: blocks of up to 40 bytes
  constexpr std::uint64_t kNear = 1 << 20;
  void* block = RFF_REAL(malloc)(kProbe);
  RFF_REAL(free)(block);
  auto address = reinterpret_cast<std::uint64_t>(block);
  for (std::uint64_t at = fs_base - 8; at > fs_base - tls_bytes; at -= 8) {
    std::uint64_t value = *reinterpret_cast<const std::uint64_t*>(at);
    if (value % 16 != 0 || value >= address || value + kNear < address) {
      continue;  // allocated before the block, in the same heap
    }
    const auto* cache = reinterpret_cast<const Cache*>(value);
    if (reinterpret_cast<const std::uint64_t*>(value)[-1] == kCacheChunk && cache->counts[1] == 1 &&
        cache->entries[1] == block && next_in_bin(cache->entries[1]) == nullptr) {
      below_ = fs_base - at;
      return;
    }
  }
}

void ThreadCache::give_back(std::uint64_t fs_base) const {
  auto** slot = reinterpret_cast<Cache**>(fs_base - below_);
  if (below_ == 0 || *slot == nullptr) {
    return;
  }
  Cache* cache = *slot;
  // A full cache takes nothing back: what is freed now goes to the heap.
  for (std::uint16_t& count : cache->counts) {
    count = 0xffff;
  }
  for (std::uint64_t*& bin : cache->entries) {
    while (bin != nullptr) {
      std::uint64_t* entry = bin;
      bin = next_in_bin(entry);
      entry[1] = 0;  // the mark of a cached block
      RFF_REAL(free)(entry);
    }
  }
  RFF_REAL(free)(cache);
  *slot = nullptr;
}

}  // namespace rff
