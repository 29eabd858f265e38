// Names memory by what is the same in every run: heap blocks, stacks, mappings and globals.
#pragma once

#include <cstdint>
#include <map>

#include "libsched/engine/thread.h"
#include "libsched/memory/modules.h"
#include "schedule/flat_map.h"

namespace rff {

class Locations {
 public:
  explicit Locations(const Modules& modules) : modules_(modules) {}

  void allocated(std::uint64_t address, std::uint64_t size, CodeName site, const Thread& by);
  // Returns the size of the block that was there; 0 if unknown.
  std::uint64_t freed(std::uint64_t address);
  void mapped(std::uint64_t address, std::uint64_t size, const Thread& by);
  void unmapped(std::uint64_t address, std::uint64_t size);
  void add_thread(const Thread& t);  // the thread as an object
  void add_stack(const Thread& t);
  void remove_stack(const Thread& t);

  // Begins a run, in a new generation of memory (arena.h). Copies existing entries there if they
  // are few, since additions would otherwise dirty scattered pages.
  void start_afresh();

  // Coarse name: without thread and ordinal.
  Location locate(std::uint64_t address) const;
  // Exact name: hash of the full name including thread, ordinal and offset.
  std::uint64_t exact_name(std::uint64_t address) const;
  // Changes whenever the result for some address may have changed.
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct Block {
    std::uint64_t size;
    LocationKind kind;
    std::uint64_t base;   // Location::base
    std::uint64_t exact;  // hash of thread, site and ordinal
    bool downwards;
  };
  const Block* find(std::uint64_t address, std::uint64_t* begin) const;

  const Modules& modules_;
  std::map<std::uint64_t, Block> blocks_;
  FlatMap<std::uint64_t> ordinals_;  // (thread, site) → number of blocks so far
  std::uint64_t epoch_ = 0;
};

}  // namespace rff
