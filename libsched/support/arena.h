// Memory of the runtime beyond operator new.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff {

// Variables that every run writes to are aligned so: then the linker (see CMakeLists.txt) lays them
// on one page with each other, which is all that a child of the fork server copies.
inline constexpr std::size_t kOnBusyPage = 64;

// Where operator new takes memory from: see runtime_stack.h.
enum class Arena : unsigned char { kMain, kRuntimeStack };
alignas(kOnBusyPage) inline constinit Arena arena_in_use = Arena::kMain;

class UseArena {
 public:
  explicit UseArena(Arena arena) : before_(arena_in_use) { arena_in_use = arena; }
  ~UseArena() { arena_in_use = before_; }
  UseArena(const UseArena&) = delete;
  UseArena& operator=(const UseArena&) = delete;

 private:
  Arena before_;
};

// A run begins a new generation: what it allocates lies together, in memory that was never used
// before, and what was allocated earlier is never given back: a write there would copy a page of
// the fork server's. If the server's children share that memory, one after the other, the kernel
// need not find, clear and take back pages for each of them: a run clears what it uses.
void prepare_generation(bool shared_by_children);
void start_generation();
// The run is over, and nobody uses what it has allocated any more.
void end_generation();
// The program makes a process that may outlive the run: from now on this one shares the run's
// memory with nobody.
void unshare_generation();

// A block for those who give it back to free(): of the main arena, where that is told from the
// blocks of others by its address. Null if that arena has grown out of its place.
void* own_block(std::size_t bytes);
bool is_own_block(const void* block);
std::size_t own_block_bytes(const void* block);

// Memory that was never used before and so is all zero and untouched: costs nothing until written.
// It is never given back.
void* fresh_memory(std::size_t bytes);

}  // namespace rff
