// Plans in a saved exploration.
#pragma once

#include "schedule/byte_stream.h"
#include "schedule/schedule_file.h"

namespace rff {

// Bounds of what a saved exploration may hold, so that a damaged file cannot ask for more memory.
inline constexpr std::size_t kMostSaved = 1 << 28;    // of anything; the file is shorter
inline constexpr std::size_t kDeepestTree = 1 << 16;  // a run has fewer steps and choices

inline void write_exploration(const Exploration& e, ByteWriter& w) {
  w.records(e.order);
  w.records(e.choices);
  w.records(e.asleep);
  w.number(static_cast<std::uint8_t>(e.rest));
  w.number(e.seed);
  w.boolean(e.every_primitive);
  w.boolean(e.loops_wait);
}

inline void read_exploration(Exploration& e, ByteReader& r) {
  constexpr std::size_t kMost = 1 << 20;  // of steps and choices of one run
  r.records(e.order, kMost, "planned steps");
  r.records(e.choices, kMost, "planned choices");
  r.records(e.asleep, kMost, "sleeping threads");
  r.enumeration(e.rest, Exploration::Rest::kCount, "order");
  r.number(e.seed, "plans");
  r.boolean(e.every_primitive, "plans");
  r.boolean(e.loops_wait, "plans");
}

}  // namespace rff
