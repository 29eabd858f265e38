// Determines the memory that decides where threads go: synchronization objects, targets of
// read-modify-writes, and locations read by code that has continued in more than one way.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzzer/core/bounded.h"
#include "fuzzer/core/recorded_order.h"

namespace rff {

class Focus {
 public:
  explicit Focus(const Bounds& bounds = {}) : bounds_(bounds) {}

  void observe(const RunSummary& run) {
    clear_if_full(next_, bounds_);
    clear_if_full(locations_, bounds_);
    clear_if_full(deciding_, bounds_);
    std::vector<std::uint64_t> last;  // last site of each thread
    for (const Step& s : run.steps) {
      if (s.event >= run.events.size()) {
        continue;
      }
      if (s.thread >= last.size()) {
        last.resize(s.thread + 1u, 0);
      }
      const AbstractEvent& e = run.events[s.event];
      std::uint64_t site = e.site.packed();
      if (last[s.thread] != 0) {
        follow(last[s.thread], site);
      }
      last[s.thread] = site;
      if (!op_accesses(e.op) || e.op == OpKind::kReadModifyWrite ||
          (e.reads() && deciding_.contains(site))) {
        locations_.insert(location_key(e));
      }
    }
    for (std::uint64_t site : last) {
      follow(site, kEnd);
    }
  }

  bool contains(std::uint64_t location) const { return locations_.contains(location); }

 private:
  static constexpr std::uint64_t kEnd = 0;

  void follow(std::uint64_t from, std::uint64_t to) {
    auto [it, fresh] = next_.try_emplace(from, to);
    if (!fresh && it->second != to) {
      deciding_.insert(from);
    }
  }

  Bounds bounds_;
  std::unordered_map<std::uint64_t, std::uint64_t> next_;  // site → its first successor
  std::unordered_set<std::uint64_t> deciding_;             // sites with two or more successors
  std::unordered_set<std::uint64_t> locations_;
};

}  // namespace rff
