// A hash table with 64-bit keys in one block of memory. Inserting allocates no node. It uses no
// division and no floating point, so the runtime can call it while the program uses those
// registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rff {

template <typename Value>
class FlatMap {
 public:
  struct Entry {
    std::uint64_t key;
    [[no_unique_address]] Value value;
  };

  // Returns null if there is no such entry.
  Entry* find(std::uint64_t key) {
    if (used_ == 0) {
      return nullptr;
    }
    Entry* e = slot(key);
    return e->key != kFree ? e : nullptr;
  }
  const Entry* find(std::uint64_t key) const { return const_cast<FlatMap*>(this)->find(key); }

  // Returns the entry of `key` and whether it is new. A new entry holds `value`.
  std::pair<Entry*, bool> insert(std::uint64_t key, Value value = {}) {
    if (used_ * 2 >= places_) {
      grow();
    }
    Entry* e = slot(key);
    bool fresh = e->key == kFree;
    if (fresh) {
      *e = {key + kShift, value};
      ++used_;
    }
    return {e, fresh};
  }

  // Prefetches the entry of `key`. Useful if there is other work before the find or insert.
  void prefetch(std::uint64_t key) const {
    if (places_ > 0) {
      __builtin_prefetch(&entries_[home(key) & (places_ - 1)], 1);
    }
  }

  Value& operator[](std::uint64_t key) { return insert(key).first->value; }

 private:
  static constexpr std::size_t kFirstSize = 32;
  static constexpr std::uint64_t kFree = 0;
  // A stored key is the key combined with this constant, since 0 marks a free place. The one key
  // that is stored as 0 is never found.
  static constexpr std::uint64_t kShift = 0x632be59bd9b4e019ULL;

  static std::size_t home(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15ULL) >> 32; }

  // Returns the place of `key`, or the free place for it. Requires a free place.
  Entry* slot(std::uint64_t key) {
    Entry* entries = entries_.data();
    for (std::size_t i = home(key);; ++i) {
      Entry& e = entries[i & (places_ - 1)];
      if (e.key == kFree || e.key == key + kShift) {
        return &e;
      }
    }
  }

  void grow() {
    places_ = places_ == 0 ? kFirstSize : places_ * 2;
    std::vector<Entry> old(places_, Entry{});
    old.swap(entries_);
    for (const Entry& e : old) {
      if (e.key != kFree) {
        *slot(e.key - kShift) = e;
      }
    }
  }

  std::vector<Entry> entries_;
  std::size_t places_ = 0;  // a power of two, at most half of them used
  std::size_t used_ = 0;
};

struct Nothing {};

class FlatSet : private FlatMap<Nothing> {
 public:
  // Returns whether the key is new.
  bool insert(std::uint64_t key) { return FlatMap::insert(key).second; }
  bool contains(std::uint64_t key) const { return find(key) != nullptr; }
  using FlatMap::prefetch;
};

}  // namespace rff
