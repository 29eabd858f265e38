// The control flow and the comparisons of a run, of programs patched with --branches.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/memory/modules.h"
#include "libsched/memory/thread_memory.h"
#include "schedule/flat_map.h"
#include "schedule/shared_memory.h"

namespace rff {

// Numbers are those of the hooks in all patched modules together: PatchedModule::first_branch plus
// the number in the module.
class BranchLog {
 public:
  // Begins a run that is reported to `record` (null: nowhere). Nothing is reported without patched
  // modules that have branches.
  void start(RunRecord* record, const Modules& modules);
  // Ends the run's report.
  void end();
  bool active() const { return record_ != nullptr; }

  // Counts the edge from the thread's last block to this one. The counts of threads that were
  // created at the same place are one.
  void enter_block(ThreadMemory& thread, std::uint32_t number) {
    if (edges_ != nullptr) {
      const std::uint32_t block = (number + 1) * 0x9e3779b1u >> 16;
      std::uint8_t& count = edges_[(block ^ thread.last_block ^ thread.role) % kMapHalf];
      count = static_cast<std::uint8_t>(count + (count != 0xff ? 1 : 0));
      thread.last_block = block >> 1;
    }
  }

  // Returns whether the comparison need not be reported: it repeats the last one there, or the
  // place has reported enough.
  bool repeats(std::uint32_t number, std::uint64_t first, std::uint64_t second) {
    if (number >= place_count_) {
      return record_ == nullptr;
    }
    Place& place = places_[number];
    const auto pair = static_cast<std::uint32_t>(
        (first * 0x9e3779b97f4a7c15ULL + second * 0xd6e8feb86659fd93ULL) >> 32);
    if (place.last == pair && place.pairs != 0) {
      return true;
    }
    if (place.pairs >= kMostPairs) {
      ++dropped_;
      return true;
    }
    place.last = pair;
    return false;
  }
  // Call if it does not repeat. `number` is the one in the module.
  void compare(std::uint32_t thread, const PatchedModule& module, std::uint32_t number,
               std::uint64_t first, std::uint64_t second);

  // Reports the beginnings of two byte strings, at most ComparedBytes::kMost of each.
  void compare_bytes(std::uint32_t thread, CodeName site, const void* first, std::size_t first_size,
                     const void* second, std::size_t second_size);

 private:
  // A loop that compares its counter would fill the table: each place has a share.
  static constexpr std::uint32_t kMostPairs = 32;
  struct Place {
    std::uint32_t last;
    std::uint32_t pairs;  // distinct ones reported
  };

  RunRecord* record_ = nullptr;
  std::uint8_t* edges_ = nullptr;
  Place* places_ = nullptr;
  std::uint32_t place_count_ = 0;
  std::uint32_t dropped_ = 0;
  std::vector<Place> all_places_;
  FlatSet seen_;
};

}  // namespace rff
