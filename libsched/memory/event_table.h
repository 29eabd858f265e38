// Table of the distinct abstract events of a run, and of its reads-from pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/operation.h"
#include "libsched/memory/locations.h"
#include "schedule/flat_map.h"
#include "schedule/shared_memory.h"

namespace rff {

class EventTable {
 public:
  EventTable(const Locations& locations, const Modules& modules)
      : locations_(locations), modules_(modules), cache_(kCacheSize) {}

  // Returns the index of an operation's abstract event. Adds it to the run's report.
  std::uint32_t intern(OpKind op, std::uint64_t address, std::uint64_t size, CodeName site);
  std::uint32_t intern(const AbstractEvent& e);
  // The same for a memory access by a patched site (`code`: see Cell). `op` is the actual kind of
  // access: string and vector instructions leave that open, and instructions that read and write
  // without a lock prefix do one after the other.
  std::uint32_t intern_site(std::uint32_t code, std::uint64_t address, OpKind op);
  // Returns the same event without adding it. For schedulers and traces, on which the table's
  // content must not depend.
  AbstractEvent describe(std::uint32_t code, std::uint64_t address, OpKind op) const;
  std::uint64_t id_of(std::uint32_t code, std::uint64_t address, OpKind op) const;
  AbstractEvent describe_init(std::uint64_t address) const {
    return AbstractEvent::init(locations_.locate(address));
  }
  std::uint32_t init(std::uint64_t address) {
    return intern(AbstractEvent::init(locations_.locate(address)));
  }
  std::uint32_t unseen(std::uint64_t address) {
    return intern(AbstractEvent::unseen(locations_.locate(address)));
  }

  // Assigns the event to an operation.
  void name(Operation& op, std::uint32_t index) const {
    op.index = index;
    op.event = events_[index];
    op.id = ids_[index];
  }

  const AbstractEvent& event(std::uint32_t index) const { return events_[index]; }
  std::uint64_t id(std::uint32_t index) const { return ids_[index]; }

  // Adds a reads-from pair. Returns whether it is new in this run.
  bool add_pair(std::uint32_t write, std::uint32_t read);
  std::uint64_t combination() const { return combination_; }
  const std::vector<ReadsFromPair>& pairs() const { return pairs_; }
  const std::vector<AbstractEvent>& events() const { return events_; }

  // Begins a run that is reported to `run` and to AFL++'s map, unless null. `run` also receives the
  // events from before: its lists and those of this table have the same indices.
  // Uses the first `map_size` bytes of the map, a power of two.
  void start(RunRecord* run, std::uint8_t* map, std::uint32_t map_size = kLargeMap);
  // Adds a control-flow edge: one thread went from one scheduling point to the next.
  void add_edge(std::uint64_t from, std::uint64_t to);
  std::uint64_t control_flow() const { return control_flow_; }

 private:
  // Caches the event of an address and the code that uses it.
  struct CacheEntry {
    std::uint64_t key = 0;
    std::uint32_t epoch = ~std::uint32_t{0};
    std::uint32_t index = 0;
  };
  static constexpr std::size_t kCacheSize = 128;
  const CacheEntry* find_cached(std::uint64_t key) const;
  // Raises the size of an event: one event stands for all calls of memcpy at one place.
  void widen(std::uint32_t index, std::uint64_t size);
  template <typename Make>
  std::uint32_t cached(std::uint64_t key, Make make);
  void touch_map(std::uint64_t hash);

  const Locations& locations_;
  const Modules& modules_;
  std::vector<AbstractEvent> events_;
  std::vector<std::uint64_t> ids_;
  FlatMap<std::uint32_t> by_id_;
  FlatSet seen_pairs_;
  FlatSet seen_edges_;
  std::vector<ReadsFromPair> pairs_;
  std::uint64_t combination_ = 0;
  std::uint64_t control_flow_ = 0;
  RunRecord* run_ = nullptr;
  std::uint8_t* map_ = nullptr;
  std::uint16_t map_mask_ = 0xffff;
  std::vector<CacheEntry> cache_;
};

}  // namespace rff
