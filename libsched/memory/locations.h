// Names of memory that stay the same from run to run: heap blocks, stacks, mappings and globals.
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
  // Returns the size of the block that was there, 0 if unknown.
  std::uint64_t freed(std::uint64_t address);
  void mapped(std::uint64_t address, std::uint64_t size, const Thread& by);
  void unmapped(std::uint64_t address, std::uint64_t size);
  void add_thread(const Thread& t);  // the thread as an object
  void add_stack(const Thread& t);
  void remove_stack(const Thread& t);

  // A run begins, in a new generation of memory (arena.h): what is known moves there if it is
  // little, since whatever is added would change a page here and a page there.
  void start_afresh();

  // Coarse: without thread and ordinal.
  Location locate(std::uint64_t address) const;
  // Exact: hash of the full name (thread, ordinal, offset included).
  std::uint64_t exact_name(std::uint64_t address) const;
  // Changes whenever the answer for some address may have changed.
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
  FlatMap<std::uint64_t> ordinals_;  // (thread, site) → blocks so far
  std::uint64_t epoch_ = 0;
};

}  // namespace rff
