// Tables of the runtime's state for the program's synchronization objects, by address.
#pragma once

#include <cstdint>
#include <map>

#include "schedule/hash.h"

namespace rff {

// Base of all tables. Lists them, so that memory that is reused holds no old objects.
class ObjectTable {
 public:
  virtual void forget_range(std::uint64_t begin, std::uint64_t end) = 0;
  // Returns a hash of the states of all objects.
  virtual std::uint64_t fingerprint() const = 0;
  static std::uint64_t fingerprint_of_all() {
    std::uint64_t hash = 0;
    for (const ObjectTable* t = first_; t != nullptr; t = t->next_) {
      hash = hash_combine(hash, t->fingerprint());
    }
    return hash;
  }
  static void forget_all(std::uint64_t begin, std::uint64_t end) {
    for (ObjectTable* t = first_; t != nullptr; t = t->next_) {
      t->forget_range(begin, end);
    }
  }

  // Returns whether `address` is in the object that the program used last.
  static bool in_use(std::uint64_t address) {
    constexpr std::uint64_t kLargest = 256;
    return address >= last_ && address - last_ < kLargest;
  }

 protected:
  ObjectTable() : next_(first_) { first_ = this; }
  ~ObjectTable() = default;

  inline static std::uint64_t last_ = 0;

 private:
  inline static ObjectTable* first_ = nullptr;
  ObjectTable* next_;
};

// Call when memory is reused for another purpose.
inline void forget_objects(std::uint64_t address, std::uint64_t size) {
  ObjectTable::forget_all(address, address + size);
}

// A forgotten state is removed from the table but not deleted: threads that still wait with it may
// use it.
template <typename State>
class Objects final : public ObjectTable {
 public:
  // Created on first use: interposers are called before and after the lifetime of static objects.
  static Objects& instance() {
    static Objects* table = new Objects;
    return *table;
  }

  State& at(const void* object) {
    State*& state = states_[key(object)];
    if (state == nullptr) {
      state = new State;
    }
    return *state;
  }
  State* find(const void* object) {
    auto it = states_.find(key(object));
    return it == states_.end() ? nullptr : it->second;
  }
  void forget(const void* object) { states_.erase(key(object)); }
  void forget_range(std::uint64_t begin, std::uint64_t end) override {
    if (states_.empty()) {
      return;
    }
    states_.erase(states_.lower_bound(begin), states_.lower_bound(end));
  }
  std::uint64_t fingerprint() const override {
    std::uint64_t hash = 0;
    for (const auto& [address, state] : states_) {
      hash = hash_bytes({reinterpret_cast<const char*>(state), sizeof(State)},
                        hash_combine(hash, address));
    }
    return hash;
  }
  template <typename Visit>
  void for_each(Visit visit) {
    for_each_at([&](std::uint64_t, State& state) { visit(state); });
  }
  template <typename Visit>
  void for_each_at(Visit visit) {
    for (auto& [address, state] : states_) {
      visit(address, *state);
    }
  }

 private:
  static std::uint64_t key(const void* object) {
    last_ = reinterpret_cast<std::uint64_t>(object);
    return last_;
  }
  std::map<std::uint64_t, State*> states_;
};

}  // namespace rff
