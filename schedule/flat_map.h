// A hash table from 64-bit keys, in one piece of memory: nothing is allocated for an entry, and
// unlike the standard library's it needs no division and no floating point, which the program may
// be using.
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

  // Null if there is none.
  Entry* find(std::uint64_t key) {
    if (used_ == 0) {
      return nullptr;
    }
    Entry* e = slot(key);
    return e->key != kFree ? e : nullptr;
  }
  const Entry* find(std::uint64_t key) const { return const_cast<FlatMap*>(this)->find(key); }

  // The entry of `key`, and whether it is new; then its value is `value`.
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

  // Before a find or an insert, if something else can be done meanwhile.
  void prefetch(std::uint64_t key) const {
    if (places_ > 0) {
      __builtin_prefetch(&entries_[home(key) & (places_ - 1)], 1);
    }
  }

  Value& operator[](std::uint64_t key) { return insert(key).first->value; }

 private:
  static constexpr std::size_t kFirstSize = 32;
  static constexpr std::uint64_t kFree = 0;
  // What is kept is the key and this, so that the small keys are not kept as 0. The one that is
  // would merely never be found.
  static constexpr std::uint64_t kShift = 0x632be59bd9b4e019ULL;

  static std::size_t home(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15ULL) >> 32; }

  // Where `key` is or would be. Requires: there is room.
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
  // Whether it is new.
  bool insert(std::uint64_t key) { return FlatMap::insert(key).second; }
  bool contains(std::uint64_t key) const { return find(key) != nullptr; }
  using FlatMap::prefetch;
};

}  // namespace rff
