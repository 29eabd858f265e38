// Which sites of the program are scheduling points, and which turned out to be worth it in this
// run: they count from the next one on.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "schedule/event.h"

namespace rff {

class EventTable;
class Modules;

class PointSet {
 public:
  PointSet(const EventTable& events, const Modules& modules) : events_(events), modules_(modules) {}

  // The run's set (CodeName::packed). Sites of patched modules are marked there as well.
  void use(const std::vector<std::uint64_t>& sites) { points_ = {sites.begin(), sites.end()}; }
  // Of a caller of a library function that accesses a range.
  bool contains(CodeName site) const { return points_.contains(site.packed()); }

  // The event `code` (see Cell) touched a word that two threads use.
  void learn(std::uint32_t code);
  const std::vector<std::uint64_t>& learned() const { return learned_; }

 private:
  const EventTable& events_;
  const Modules& modules_;
  std::unordered_set<std::uint64_t> points_;
  std::unordered_set<std::uint64_t> noted_;
  std::vector<std::uint64_t> learned_;
};

}  // namespace rff
