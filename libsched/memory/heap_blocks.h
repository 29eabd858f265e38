// The heap blocks that the checked allocator has given out or keeps in quarantine, by address: who
// made and freed them, and which bytes around them nobody may use.
#pragma once

#include <cstdint>
#include <map>

#include "libsched/memory/shadow.h"
#include "schedule/failure.h"
#include "schedule/flat_map.h"

namespace rff {

struct HeapBlock {
  std::uint64_t begin = 0;  // what the program got
  std::uint64_t size = 0;   // what it asked for
  std::uint64_t chunk = 0;  // what the C library gave out, redzones included
  std::uint64_t chunk_size = 0;
  AllocatorFamily family = AllocatorFamily::kMalloc;
  bool freed = false;
  std::uint32_t allocated_by = kNoThread;
  std::uint32_t freed_by = kNoThread;
  std::uint32_t allocated_callers = 0;  // trace::CallersInfo::number
  std::uint32_t freed_callers = 0;
  CodeName allocated_at, freed_at;
  std::uint64_t freed_step = 0;
  HeapBlock* freed_next = nullptr;  // the one that was freed after this one

  std::uint64_t end() const { return begin + size; }
  std::uint64_t chunk_end() const { return chunk + chunk_size; }
};

class HeapBlocks final : public GuardSource {
 public:
  // The unit of chunks: their places and sizes are multiples of it.
  static constexpr std::uint64_t kUnit = 16;

  // The result stays where it is until it is removed. Requires: the chunk overlaps no other.
  HeapBlock& add(const HeapBlock& block);
  void remove(HeapBlock& block);

  // Returns the block that begins there; null if none does.
  HeapBlock* at(std::uint64_t begin) {
    HeapBlock* b = around(begin);
    return b != nullptr && b->begin == begin ? b : nullptr;
  }
  // Returns the block whose chunk has the address; null if there is none.
  HeapBlock* around(std::uint64_t address) const;

  // The first byte of a range that nobody may use.
  struct Wrong {
    const HeapBlock* block = nullptr;  // null: all bytes are good, or not of these blocks
    std::uint64_t address = 0;
    bool any_good = false;  // some byte of the range is part of a block that is not freed
  };
  Wrong first_wrong(std::uint64_t address, std::uint64_t size) const;

  void guards(std::uint64_t begin, std::uint8_t (&out)[kBlockWords]) const override;
  // The guard of a word that the block's chunk has.
  static std::uint8_t guard_of(const HeapBlock& b, std::uint64_t word);

 private:
  // Chunks of at most a page are found by each of their units; larger ones would need much memory.
  static constexpr int kPageBits = 12;
  static constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;
  struct Page {
    HeapBlock* owner[kPageBytes / kUnit];
  };

  bool large(const HeapBlock& b) const { return b.chunk_size > kPageBytes; }
  HeapBlock*& owner(std::uint64_t address);
  Page* page_of(std::uint64_t address) const;
  // Returns the first block whose chunk has a byte of the range; null if there is none.
  const HeapBlock* first_in(std::uint64_t begin, std::uint64_t end) const;

  FlatMap<Page*> pages_;
  std::map<std::uint64_t, HeapBlock*> large_;  // by the end of the chunk
};

}  // namespace rff
