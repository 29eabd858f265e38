// Memory of the runtime: generations and special blocks, in addition to operator new.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rff {

// Alignment of variables that every run writes to. The linker (see CMakeLists.txt) puts them on one
// page, the only one that a child of the fork server then copies.
inline constexpr std::size_t kOnBusyPage = 64;

// The arena that operator new uses: see runtime_stack.h.
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

// Prepares the generation that the next run begins. Its allocations are contiguous, in memory that
// was never used before, and earlier allocations are never freed: a write there would copy a page
// of the fork server's. If the server's children share that memory, one after the other, the kernel
// need not find, clear and reclaim pages for each of them: a run clears what it uses.
void prepare_generation(bool shared_by_children);
void start_generation();
// Call before the image of a process that makes many runs is saved: all of them, also the first,
// clear the run's memory as they use it.
void expect_used_generation();
// Ends the run's generation. Requires: none of its allocations is used afterwards.
void end_generation();
// Call when the program creates a process that may outlive the run. This process stops sharing the
// run's memory.
void unshare_generation();

struct MemorySpan {
  char* begin = nullptr;
  std::size_t bytes = 0;
};
// Returns what is in use of the memory that was allocated before the first run.
std::array<MemorySpan, 4> memory_before_runs();

// Allocates a block that will be passed to free(). It is in the main arena, where its address
// identifies it. Returns null if that arena has grown out of its place.
void* own_block(std::size_t bytes);
bool is_own_block(const void* block);
std::size_t own_block_bytes(const void* block);

// Returns memory that was never used before, so it is all zero and costs nothing until written. It
// is never freed.
void* fresh_memory(std::size_t bytes);

}  // namespace rff
