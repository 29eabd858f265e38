#include "libsched/memory/heap_blocks.h"

#include <algorithm>
#include <iterator>

namespace rff {

HeapBlock* HeapBlocks::at(std::uint64_t begin) {
  auto it = blocks_.find(begin);
  return it != blocks_.end() ? &it->second : nullptr;
}

HeapBlocks::Map::const_iterator HeapBlocks::first_from(std::uint64_t address) const {
  auto it = blocks_.upper_bound(address);
  if (it != blocks_.begin() && std::prev(it)->second.chunk_end() > address) {
    --it;
  }
  return it;
}

const HeapBlock* HeapBlocks::around(std::uint64_t address) const {
  auto it = first_from(address);
  return it != blocks_.end() && it->second.chunk <= address ? &it->second : nullptr;
}

HeapBlocks::Wrong HeapBlocks::first_wrong(std::uint64_t address, std::uint64_t size) const {
  Wrong wrong;
  std::uint64_t end = address + size;
  for (auto it = first_from(address); it != blocks_.end() && it->second.chunk < end; ++it) {
    const HeapBlock& b = it->second;
    std::uint64_t at = std::max(address, b.chunk);
    bool inside = at >= b.begin && at < b.end();
    std::uint64_t bad = inside && !b.freed ? b.end() : at;
    if (wrong.block == nullptr && bad < std::min(end, b.chunk_end())) {
      wrong.block = &b;
      wrong.address = bad;
    }
    wrong.any_good |= !b.freed && address < b.end() && end > b.begin;
  }
  return wrong;
}

void HeapBlocks::guards(std::uint64_t begin, std::uint8_t (&out)[kBlockWords]) const {
  std::fill(std::begin(out), std::end(out), Guard::kGood);
  std::uint64_t end = begin + kBlockBytes;
  for (auto it = first_from(begin); it != blocks_.end() && it->second.chunk < end; ++it) {
    const HeapBlock& b = it->second;
    std::uint64_t last = std::min(end, b.chunk_end());
    for (std::uint64_t word = std::max(begin, b.chunk); word < last; word += kWordBytes) {
      std::uint64_t room = word < b.end() ? b.end() - word : 0;
      bool outside = word < b.begin || room == 0;
      out[(word - begin) / kWordBytes] = outside             ? Guard::kRedzone
                                         : b.freed           ? Guard::kFreed
                                         : room < kWordBytes ? static_cast<std::uint8_t>(room)
                                                             : Guard::kGood;
    }
  }
}

}  // namespace rff
