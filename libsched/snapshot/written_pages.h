// Pages of this process that were written since some moment, as the kernel tells them (userfaultfd
// and PAGEMAP_SCAN, without privilege since Linux 6.7). Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff {

class WrittenPages {
 public:
  // Each of these returns why it did not succeed, or null.
  const char* start();
  // Follows a mapping, or a part of one, from here on: what becomes present counts as written.
  const char* follow(std::uint64_t begin, std::uint64_t end) const;
  // Pages of a followed mapping that are present: not written, from here on.
  const char* forget_writes(std::uint64_t begin, std::uint64_t end) const;

  struct Region {
    std::uint64_t begin, end, categories;
  };
  // Finds written pages between *begin and `end`, and moves *begin past what was looked at. Returns
  // the number of regions, or a negative error. `pagemap`: /proc/self/pagemap; `again`: those pages
  // count as not written from here on.
  static long find(int pagemap, std::uint64_t* begin, std::uint64_t end, Region* regions,
                   std::size_t most, bool again = false);
  // The same for all pages that are present, followed or not.
  static long find_present(int pagemap, std::uint64_t* begin, std::uint64_t end, Region* regions,
                           std::size_t most);
  void close();

 private:
  static long scan(int pagemap, std::uint64_t* begin, std::uint64_t end, Region* regions,
                   std::size_t most, std::uint64_t all_of, std::uint64_t flags);
  int faults_ = -1;
};

}  // namespace rff
