// Memory of the runtime beyond operator new.
#pragma once

#include <cstddef>

namespace rff {

// Where operator new takes memory from: see aside.h.
enum class Arena { kMain, kAside };
Arena use_arena(Arena arena);  // returns the one before

class UseArena {
 public:
  explicit UseArena(Arena arena) : before_(use_arena(arena)) {}
  ~UseArena() { use_arena(before_); }
  UseArena(const UseArena&) = delete;
  UseArena& operator=(const UseArena&) = delete;

 private:
  Arena before_;
};

// Memory that was never used before and so is all zero and untouched: costs nothing until written.
// It is never given back.
void* fresh_memory(std::size_t bytes);

}  // namespace rff
