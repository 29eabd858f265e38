// Memory of the snapshot that a run has unmapped. It is made inaccessible instead, so that a use
// fails as it would, and accessible again after the run. New mappings could lie where it was, so
// before one is made the memory is unmapped after all, and the run cannot be followed by another
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/snapshot/saved_pages.h"

namespace rff {

class HiddenMemory {
 public:
  // Hides whole pages. Returns false, and changes nothing, if some are not private memory without a
  // file, or executable, or readable without being writable.
  bool hide(std::uint64_t begin, std::uint64_t end, const SavedPages& saved);
  bool any() const { return count_ > 0; }
  // After the run: it is accessible again.
  void put_back();
  // The run goes on without another one to follow: it is unmapped.
  void unmap();

 private:
  struct Part {
    std::uint64_t begin, end;
    bool accessible;  // before it was hidden
  };
  static constexpr std::size_t kMostParts = 32;
  static constexpr std::uint64_t kMostBetween = 64;  // pages that are looked at one by one

  bool add(std::uint64_t begin, std::uint64_t end, bool accessible);

  std::size_t count_ = 0;
  Part parts_[kMostParts];
};

}  // namespace rff
