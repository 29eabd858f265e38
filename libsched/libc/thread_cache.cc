#include "libsched/libc/thread_cache.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>

#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff {
namespace {

constexpr int kBins = 64;

struct Cache {
  std::uint16_t counts[kBins];
  std::uint64_t* entries[kBins];
};

// The size field before a block of this size.
constexpr std::uint64_t kCacheChunk = (sizeof(Cache) + 16) | 1;

std::uint64_t* next_in_bin(std::uint64_t* entry) {
  return reinterpret_cast<std::uint64_t*>(*entry ^ (reinterpret_cast<std::uint64_t>(entry) >> 12));
}

// Checks an entry as the C library does: a block that the program freed twice, or wrote to after
// freeing it, shows here.
bool is_whole(std::uint64_t entry, HeapDamage* damage) {
  damage->function = reinterpret_cast<const void*>(RFF_REAL(free));
  std::uint64_t next = 0;
  if (entry % 16 != 0) {
    damage->facts.signal = SIGABRT;
    damage->words =
        "tcache_thread_shutdown(): unaligned tcache chunk detected";  // glibc's own words
    return false;
  }
  if (!probe_word(entry, &next)) {
    damage->facts.signal = SIGSEGV;
    damage->facts.flags = kBadFreeList;
    return false;
  }
  return true;
}

struct Search {
  std::uint64_t library;  // an address in it
  std::uint64_t value;
  std::uint64_t* found = nullptr;
  int matches = 0;
};

int search_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    std::uint64_t begin = info->dlpi_addr + part.p_vaddr;
    inside |=
        part.p_type == PT_LOAD && search.library >= begin && search.library < begin + part.p_memsz;
  }
  for (int i = 0; inside && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
      auto* word = reinterpret_cast<std::uint64_t*>((info->dlpi_addr + part.p_vaddr + 7) & ~7ULL);
      auto* end =
          reinterpret_cast<std::uint64_t*>((info->dlpi_addr + part.p_vaddr + part.p_memsz) & ~7ULL);
      for (; word < end; ++word) {
        if (*word == search.value) {
          search.found = word;
          ++search.matches;
        }
      }
    }
  }
  return inside ? 1 : 0;
}

// Fixes the number with which the allocator marks cached blocks: it is random, and what programs
// read from uninitialized memory must not depend on it.
void fix_mark(std::uint64_t* freed_block) {
  Search search{reinterpret_cast<std::uint64_t>(RFF_REAL(malloc)), freed_block[1]};
  RFF_REAL(dl_iterate_phdr)(search_module, &search);
  if (search.value != 0 && search.matches == 1) {
    *search.found = freed_block[1] = 0x5afe57acc0de1111ULL;
  }
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
      fix_mark(static_cast<std::uint64_t*>(block));
      return;
    }
  }
}

bool ThreadCache::give_back(std::uint64_t fs_base, HeapDamage* damage) const {
  auto** slot = reinterpret_cast<Cache**>(fs_base - below_);
  if (below_ == 0 || *slot == nullptr) {
    return true;
  }
  Cache* cache = *slot;
  // A full bin accepts no blocks, so free() returns them to the heap. Afterwards memory is as the C
  // library leaves it, including fields that are no longer used.
  constexpr std::uint16_t kFull = 0xffff;
  for (int i = 0; i < kBins; ++i) {
    std::uint16_t count = cache->counts[i];
    cache->counts[i] = kFull;
    while (cache->entries[i] != nullptr) {
      std::uint64_t* entry = cache->entries[i];
      if (!is_whole(reinterpret_cast<std::uint64_t>(entry), damage)) {
        return false;
      }
      cache->entries[i] = next_in_bin(entry);
      RFF_REAL(free)(entry);
    }
    cache->counts[i] = count;
  }
  std::uint16_t& own = cache->counts[(kCacheChunk - 0x20) / 16];
  std::uint16_t count = own;
  own = kFull;
  RFF_REAL(free)(cache);
  // The heap may have shrunk.
  std::uint64_t still_there = 0;
  if (probe_word(word_of(reinterpret_cast<std::uint64_t>(&own)), &still_there)) {
    own = count;
  }
  *slot = nullptr;
  return true;
}

}  // namespace rff
