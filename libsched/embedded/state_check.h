// RFF_CHECK_STATE=1: every run is made twice, and what the program keeps from one run to the next
// is found where the two differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libsched/memory/modules.h"
#include "schedule/shared_memory.h"

namespace rff::embedded {

class StateCheck {
 public:
  // Whether the user asked for it.
  static bool wanted();

  // Keeps what the first of two runs did.
  void remember(const RunRecord& run);
  // Returns where the second run differs from the first, and which variable kept a value; empty if
  // they are the same.
  std::string difference(const RunRecord& second, const Modules& modules) const;

 private:
  struct Seen {
    Step step;
    AbstractEvent event;
  };
  static constexpr std::size_t kMost = 1 << 16;  // as many steps as a record has

  Seen* seen_ = nullptr;  // in memory of its own
  std::size_t count_ = 0;
};

}  // namespace rff::embedded
