// The critical sections of a run, and what the reads of one see together.
//
// A section moves as a whole. So what it reads is one thing: a reader of two variables that belong
// together may have seen each of their values and never the pair that is wrong.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fuzzer/common/run_summary.h"

namespace rff {

// For every step, the first and the last step of the critical section around it; outside of
// critical sections, the step itself. The last is one with an entry in the recorded order: a
// section that ends in a condition wait unlocks without one.
struct CriticalSections {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
};
// `kept`: for every step, whether it has an entry in the recorded order.
CriticalSections find_sections(const RunSummary& run, const std::vector<bool>& kept);

using StepsByAddress = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;

// The words that the reads of a section see together: those of which one other thread writes
// several.
class SectionViews {
 public:
  // All must outlive the object. `writes`: the writes of the run, in their order.
  SectionViews(const RunSummary& run, const CriticalSections& sections,
               const StepsByAddress& writes);

  // Whether this read is one of several in its section that see words which belong together.
  bool together(std::uint32_t read) const;
  // Identifies what these reads would see if the section came when only the steps before `place`
  // had been made. Requires together(read).
  std::uint64_t at(std::uint32_t read, std::uint32_t place) const;
  // The same where the section came in the run.
  std::uint64_t seen(std::uint32_t read) const { return at(read, sections_.first[read]); }

 private:
  static constexpr std::size_t kMaxReads = 8;    // of one section
  static constexpr std::size_t kMaxWriters = 8;  // of one word

  // How a word is written. Writes without a lock that come first prepare it.
  struct Word {
    std::vector<std::uint16_t> writers;  // threads that write it under the lock
    std::uint64_t lock = 0;              // the address of the lock held at all these writes
  };
  void add(std::uint32_t step);
  const Word& word(std::uint64_t address);
  bool share_a_writer(std::uint32_t read, std::uint32_t other);

  const RunSummary& run_;
  const CriticalSections& sections_;
  const StepsByAddress& writes_;
  std::unordered_map<std::uint64_t, Word> words_;  // by address
  // First step of a section → its reads that belong together, each of another address.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> reads_;
};

}  // namespace rff
