// Memory of the runtime beyond operator new.
#pragma once

#include <cstddef>

namespace rff {

// Where operator new takes memory from: see aside.h.
enum class Arena : unsigned char { kMain, kAside };
inline constinit Arena arena_in_use = Arena::kMain;

class UseArena {
 public:
  explicit UseArena(Arena arena) : before_(arena_in_use) { arena_in_use = arena; }
  ~UseArena() { arena_in_use = before_; }
  UseArena(const UseArena&) = delete;
  UseArena& operator=(const UseArena&) = delete;

 private:
  Arena before_;
};

// Memory that was never used before and so is all zero and untouched: costs nothing until written.
// It is never given back.
void* fresh_memory(std::size_t bytes);

}  // namespace rff
