// The types of a run's heap blocks. A block has the type for which an allocator of the C++ library
// was instantiated, or the declared pointee type of a pointer that held the block's address in this
// run. If these contradict each other, the block has no type.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/types.h"

namespace rff {

class DebugInfo;

class HeapTypes {
 public:
  // Both must live as long as this.
  HeapTypes(const Trace& trace, DebugInfo& debug);

  // Returns the block that the event of this step accessed; null if unknown.
  const trace::AllocationInfo* block(std::uint64_t step) const;
  // Returns the block that the value of this step's event points into; null if it is no pointer.
  const trace::AllocationInfo* pointed_to(std::uint64_t step) const;
  // Returns what the event of this step accessed in its block: "Node.next", "int[3]"; empty if
  // unknown.
  std::string part(std::uint64_t step) const;

 private:
  static constexpr std::uint32_t kNoBlock = ~0u;
  struct Type {
    Dwarf_Die die{};
    std::uint64_t size = 0;
    std::string name;
    bool allocated = false;  // by an allocator for this type: the whole block has it
  };
  struct Block {
    std::vector<Type> candidates;
    std::optional<Type> type;
  };

  void follow_events(bool first);
  void add(std::uint32_t block, Dwarf_Die type, bool allocated);
  void decide();
  // Returns the type that the event's location is declared to point to.
  std::optional<Dwarf_Die> points_to(const trace::EventInfo& e, std::uint32_t block);
  std::optional<Dwarf_Die> allocator_type(const trace::AllocationInfo& a);
  const trace::AllocationInfo* block_of(std::uint64_t step,
                                        const std::vector<std::uint32_t>& blocks) const;

  const Trace& trace_;
  DebugInfo& debug_;
  std::vector<Block> blocks_;              // same order as trace_.allocations
  std::vector<std::uint32_t> touched_;     // the block of each event
  std::vector<std::uint32_t> pointed_to_;  // the block that each event's value points into
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::optional<Dwarf_Die>> allocators_;
};

}  // namespace rff
