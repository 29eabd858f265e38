#include "libsched/memory/heap_blocks.h"

#include <algorithm>
#include <iterator>

#include "libsched/support/arena.h"

namespace rff {

HeapBlocks::Page* HeapBlocks::page_of(std::uint64_t address) const {
  const auto* entry = pages_.find(address >> kPageBits);
  return entry != nullptr ? entry->value : nullptr;
}

HeapBlock*& HeapBlocks::owner(std::uint64_t address) {
  Page*& page = pages_[address >> kPageBits];
  if (page == nullptr) {
    page = static_cast<Page*>(fresh_memory(sizeof(Page)));
  }
  return page->owner[address % kPageBytes / kUnit];
}

HeapBlock& HeapBlocks::add(const HeapBlock& block) {
  auto* b = new HeapBlock(block);
  if (large(*b)) {
    large_[b->chunk_end()] = b;
    return *b;
  }
  for (std::uint64_t unit = b->chunk; unit < b->chunk_end(); unit += kUnit) {
    owner(unit) = b;
  }
  return *b;
}

void HeapBlocks::remove(HeapBlock& block) {
  if (large(block)) {
    large_.erase(block.chunk_end());
  } else {
    for (std::uint64_t unit = block.chunk; unit < block.chunk_end(); unit += kUnit) {
      owner(unit) = nullptr;
    }
  }
  delete &block;
}

HeapBlock* HeapBlocks::around(std::uint64_t address) const {
  if (const Page* page = page_of(address)) {
    if (HeapBlock* b = page->owner[address % kPageBytes / kUnit]) {
      return b;
    }
  }
  auto it = large_.upper_bound(address);
  return it != large_.end() && it->second->chunk <= address ? it->second : nullptr;
}

const HeapBlock* HeapBlocks::first_in(std::uint64_t begin, std::uint64_t end) const {
  auto it = large_.upper_bound(begin);
  const HeapBlock* first = it != large_.end() && it->second->chunk < end ? it->second : nullptr;
  end = first != nullptr ? std::min(end, first->chunk) : end;
  for (std::uint64_t at = begin; at < end;) {
    std::uint64_t next = (at | (kPageBytes - 1)) + 1;
    if (const Page* page = page_of(at)) {
      for (std::uint64_t i = at % kPageBytes / kUnit; i < kPageBytes / kUnit; ++i) {
        if (const HeapBlock* b = page->owner[i]) {
          return b->chunk < end ? b : first;
        }
      }
    }
    at = next;
  }
  return first;
}

HeapBlocks::Wrong HeapBlocks::first_wrong(std::uint64_t address, std::uint64_t size) const {
  Wrong wrong;
  std::uint64_t end = address + size;
  for (const HeapBlock* b = first_in(address, end); b != nullptr;
       b = first_in(b->chunk_end(), end)) {
    std::uint64_t at = std::max(address, b->chunk);
    bool inside = at >= b->begin && at < b->end();
    std::uint64_t bad = inside && !b->freed ? b->end() : at;
    if (wrong.block == nullptr && bad < std::min(end, b->chunk_end())) {
      wrong.block = b;
      wrong.address = bad;
    }
    wrong.any_good |= !b->freed && address < b->end() && end > b->begin;
  }
  return wrong;
}

std::uint8_t HeapBlocks::guard_of(const HeapBlock& b, std::uint64_t word) {
  std::uint64_t room = word < b.end() ? b.end() - word : 0;
  bool outside = word < b.begin || room == 0;
  return outside             ? Guard::kRedzone
         : b.freed           ? Guard::kFreed
         : room < kWordBytes ? static_cast<std::uint8_t>(room)
                             : Guard::kGood;
}

void HeapBlocks::guards(std::uint64_t begin, std::uint8_t (&out)[kBlockWords]) const {
  std::fill(std::begin(out), std::end(out), Guard::kGood);
  std::uint64_t end = begin + kBlockBytes;
  for (const HeapBlock* b = first_in(begin, end); b != nullptr; b = first_in(b->chunk_end(), end)) {
    std::uint64_t last = std::min(end, b->chunk_end());
    for (std::uint64_t word = std::max(begin, b->chunk); word < last; word += kWordBytes) {
      out[(word - begin) / kWordBytes] = guard_of(*b, word);
    }
  }
}

}  // namespace rff
