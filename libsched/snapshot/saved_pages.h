// The memory that a run can change, as it was when the snapshot was taken.
//
// All private writable mappings belong to it: those of the program, of libraries, and of the
// runtime. What the runtime shares with the fuzzer is not restored. This object and the copies lie
// in memory of their own (places::kSnapshot); nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libsched/snapshot/written_pages.h"
#include "libsched/support/memory_map.h"

namespace rff {

// How the pages are found that a run has changed.
enum class Tracking : std::uint8_t {
  kWrites,  // the kernel tells which were written (userfaultfd, since Linux 6.7)
  kCopy,    // all are copied back
};

class SavedPages {
 public:
  // Saves the memory of the process, with copies up to `end`. Returns why it could not, or null.
  const char* save(Tracking tracking, std::uint64_t end);
  // Makes the memory as it was. Uses no memory that it restores, not even a stack: call it on
  // another one. Returns false if the kernel does not say what has changed. Requires: the mappings
  // are as they were.
  bool restore();
  // Ends the tracking of writes.
  void close();

  // For tests: returns the address of a mapping or a page that is not as it was, or 0.
  std::uint64_t first_difference();
  std::size_t size() const { return count_; }
  // The mappings that are saved, in order.
  std::span<const Span> spans() const { return {spans_, span_count_}; }

 private:
  struct Page {
    std::uint64_t address;
    const std::uint64_t* copy;
  };
  static constexpr std::size_t kMostSpans = 4096;
  static constexpr std::size_t kMostPages = 16384;  // 64 MiB
  static constexpr std::size_t kMostCopied = 512;   // more cost as much as a fork
  static constexpr std::size_t kRegions = 512;      // that the kernel tells at a time
  // After so many runs the pages are learned again that runs write to.
  static constexpr std::uint64_t kRelearn = 4096;

  template <typename Visit>
  bool for_each_span(Visit visit);
  const char* find_spans();
  const char* save_pages(std::uint64_t end);
  const char* track_writes();
  bool next_entries(std::uint64_t address, std::uint64_t end);
  template <typename Visit>
  bool for_each_present(const Span& span, Visit visit);
  template <typename Visit>
  bool for_each_present_in(std::uint64_t begin, std::uint64_t end, Visit visit);
  template <typename Visit>
  bool for_each_written(Visit visit, bool again = false);
  void put_back(std::uint64_t page, std::size_t* next) const;

  Tracking tracking_ = Tracking::kCopy;
  int pagemap_ = -1;
  WrittenPages written_;
  std::size_t span_count_ = 0, count_ = 0;
  std::uint64_t restored_ = 0;
  Span spans_[kMostSpans];
  Page pages_[kMostPages];
  // What the kernel told last: entries of pagemap, lines of maps, or regions.
  union {
    WrittenPages::Region regions_[kRegions];
    std::uint64_t entries_[3 * kRegions];
    char text_[3 * kRegions * sizeof(std::uint64_t)];
  };
};

}  // namespace rff
