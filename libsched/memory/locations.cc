#include "libsched/memory/locations.h"

#include "schedule/hash.h"

namespace rff {

void Locations::allocated(std::uint64_t address, std::uint64_t size, CodeName site,
                          const Thread& by) {
  std::uint64_t key = hash_combine(hash_bytes(by.name), site.packed());
  std::uint64_t ordinal = ordinals_[key]++;
  blocks_[address] = {size, LocationKind::kHeap, site.packed(), hash_combine(key, ordinal), false};
  ++epoch_;
}

std::uint64_t Locations::freed(std::uint64_t address) {
  auto it = blocks_.find(address);
  if (it == blocks_.end()) {
    return 0;
  }
  // Keep the name until the memory is allocated again: a use after free is an access to that block.
  return it->second.size;
}

void Locations::mapped(std::uint64_t address, std::uint64_t size, const Thread& by) {
  std::uint64_t key = hash_combine(hash_bytes(by.name), 0x6d6d6170);
  std::uint64_t ordinal = ordinals_[key]++;
  unmapped(address, size);
  blocks_[address] = {size, LocationKind::kMapping, ordinal, hash_combine(key, ordinal), false};
  ++epoch_;
}

void Locations::unmapped(std::uint64_t address, std::uint64_t size) {
  blocks_.erase(blocks_.lower_bound(address), blocks_.lower_bound(address + size));
  ++epoch_;
}

void Locations::add_thread(const Thread& t) {
  blocks_[reinterpret_cast<std::uint64_t>(&t)] = {8, LocationKind::kThread, t.created_at.packed(),
                                                  hash_combine(hash_bytes(t.name), 0x746872656164),
                                                  false};
  ++epoch_;
}

void Locations::add_stack(const Thread& t) {
  unmapped(t.stack_low, t.stack_high - t.stack_low);
  blocks_[t.stack_low] = {t.stack_high - t.stack_low, LocationKind::kStack, 0,
                          hash_combine(hash_bytes(t.name), 0x737461636b), true};
  ++epoch_;
}

void Locations::remove_stack(const Thread& t) {
  blocks_.erase(t.stack_low);
  ++epoch_;
}

void Locations::start_afresh() {
  constexpr std::size_t kFew = 32;
  if (blocks_.size() <= kFew) {
    blocks_ = std::map(blocks_);
  }
}

const Locations::Block* Locations::find(std::uint64_t address, std::uint64_t* begin) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) {
    return nullptr;
  }
  --it;
  if (address >= it->first + it->second.size) {
    return nullptr;
  }
  *begin = it->first;
  return &it->second;
}

Location Locations::locate(std::uint64_t address) const {
  if (const Module* m = modules_.find(address)) {
    return {LocationKind::kGlobal, m->hash, address - m->bias};
  }
  std::uint64_t begin = 0;
  if (const Block* b = find(address, &begin)) {
    std::uint64_t offset = b->downwards ? begin + b->size - address : address - begin;
    return {b->kind, b->base, offset};
  }
  return {LocationKind::kMapping, ~std::uint64_t{0}, address & 0xfff};
}

std::uint64_t Locations::exact_name(std::uint64_t address) const {
  if (const Module* m = modules_.find(address)) {
    return hash_combine(m->hash, address - m->bias);
  }
  std::uint64_t begin = 0;
  if (const Block* b = find(address, &begin)) {
    return hash_combine(b->exact, b->downwards ? begin + b->size - address : address - begin);
  }
  return hash_combine(0, address & 0xfff);
}

}  // namespace rff
