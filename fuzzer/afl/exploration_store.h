// Keeps systematic.bin up to date while a systematic search runs, and goes on from it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/core/fuzz_core.h"

namespace rff {

// Returns why a search of that kind cannot go on from the file; empty if it can.
std::string why_not_resumable(const SearchChoice& search, const ExplorationFile& file);

class ExplorationStore {
 public:
  ExplorationStore(const CampaignMemory& campaign, SharedMemory& shared);

  // Restores the search, and the scheduling points that its runs use, if there is a file. Returns
  // what is wrong with the file. If other scheduling points are known than those of the file, the
  // search starts anew.
  std::string restore(FuzzCore& core);

  // Writes the file if some seconds have passed since the last time. Returns what went wrong.
  std::string save_sometimes(const FuzzCore& core);
  // Writes the file if something has changed. Call only when the findings of all runs that the
  // search has learned from are on disk.
  std::string save(const FuzzCore& core);

  // Adds what another instance found.
  void note_unmodelled_call(const std::string& name) { note(unmodelled_calls_, name); }
  void note_unpatched_module(const std::string& path) { note(unpatched_modules_, path); }

 private:
  using Clock = std::chrono::steady_clock;

  static void note(std::vector<std::string>& list, const std::string& text);

  const CampaignMemory& campaign_;
  SharedMemory& shared_;
  std::string path_;
  std::vector<std::string> unmodelled_calls_, unpatched_modules_;
  std::uint64_t saved_explored_ = ~std::uint64_t{0};
  bool saved_finished_ = false;
  Clock::time_point next_;
};

}  // namespace rff
