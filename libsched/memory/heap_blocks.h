// The heap blocks that the checked allocator has given out or keeps in quarantine, by address: who
// made and freed them, and which bytes around them nobody may use.
#pragma once

#include <cstdint>
#include <map>

#include "libsched/memory/shadow.h"
#include "schedule/failure.h"

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

  std::uint64_t end() const { return begin + size; }
  std::uint64_t chunk_end() const { return chunk + chunk_size; }
};

class HeapBlocks final : public GuardSource {
 public:
  // Requires: the chunk overlaps no other.
  HeapBlock& add(const HeapBlock& block) { return blocks_[block.begin] = block; }
  void remove(std::uint64_t begin) { blocks_.erase(begin); }

  // Returns the block that begins there; null if none does.
  HeapBlock* at(std::uint64_t begin);
  // Returns the block whose chunk has the address; null if there is none.
  const HeapBlock* around(std::uint64_t address) const;

  // The first byte of a range that nobody may use.
  struct Wrong {
    const HeapBlock* block = nullptr;  // null: all bytes are good, or not of these blocks
    std::uint64_t address = 0;
    bool any_good = false;  // some byte of the range is part of a block that is not freed
  };
  Wrong first_wrong(std::uint64_t address, std::uint64_t size) const;

  void guards(std::uint64_t begin, std::uint8_t (&out)[kBlockWords]) const override;

 private:
  using Map = std::map<std::uint64_t, HeapBlock>;
  // Returns the first block whose chunk ends behind the address.
  Map::const_iterator first_from(std::uint64_t address) const;

  Map blocks_;
};

}  // namespace rff
