// A set of 64-bit ids in shared memory to which several processes add concurrently. It never
// shrinks. When it is nearly full it ignores new ids, so its size is then a lower bound.
#pragma once

#include <atomic>
#include <cstdint>

namespace rff {

template <std::uint32_t kSlots>
struct SharedIdSet {
  static_assert((kSlots & (kSlots - 1)) == 0);
  static constexpr std::uint32_t kCapacity = kSlots / 4 * 3;

  std::atomic<std::uint32_t> count;
  std::atomic<std::uint64_t> slots[kSlots];  // 0: free

  // Returns whether the id is new.
  bool insert(std::uint64_t id) {
    id = id == 0 ? 1 : id;
    for (std::uint64_t i = id * 0x9e3779b97f4a7c15ULL >> 20;; ++i) {
      std::atomic<std::uint64_t>& slot = slots[i & (kSlots - 1)];
      std::uint64_t seen = slot.load(std::memory_order_relaxed);
      if (seen == id) {
        return false;
      }
      if (seen != 0) {
        continue;
      }
      if (count.load(std::memory_order_relaxed) >= kCapacity) {
        return false;
      }
      if (slot.compare_exchange_strong(seen, id, std::memory_order_relaxed)) {
        count.fetch_add(1, std::memory_order_relaxed);
        return true;
      }
      if (seen == id) {
        return false;
      }
    }
  }
  std::uint32_t size() const { return count.load(std::memory_order_relaxed); }
};

}  // namespace rff
