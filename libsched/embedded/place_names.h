// Names of places in code that reports have asked for. A process that makes many runs may report
// many that failed, at the same few places, and symbol_at reads files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "schedule/event.h"

namespace rff::embedded {

// Uses memory of its own, which outlives runs; until that is full, names are kept.
class PlaceNames {
 public:
  // Returns the name that was kept for the place; empty: none.
  std::string_view find(CodeName place) const;
  void keep(CodeName place, std::string_view name);

 private:
  struct Entry {
    CodeName place;
    std::uint32_t begin;
    std::uint32_t bytes;  // 0: no entry
  };
  struct Memory;

  Memory* memory_ = nullptr;
};

}  // namespace rff::embedded
