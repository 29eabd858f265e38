// Files that are open since before a run in place, and that it reads: where they are read next is
// put back.
#pragma once

#include <cstddef>

#include "libsched/snapshot/call_made.h"

namespace rff {

class FilesRead {
 public:
  // Makes the call and returns true, or returns false without having made it: it does more than
  // read such a file.
  bool make(const CallMade& call, long* result);
  void put_back();

 private:
  static constexpr std::size_t kMost = 16;

  bool remember(int descriptor);

  struct File {
    int descriptor;
    long offset;
  };
  File files_[kMost];
  std::size_t count_ = 0;
};

}  // namespace rff
