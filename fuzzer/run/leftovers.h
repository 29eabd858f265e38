// Processes that programs leave behind in sessions of their own: once their parent has ended, this
// process adopts them, so that they can be ended with the run they came from.
#pragma once

#include <sys/types.h>

namespace rff {

// Lives as long as a program runs. The last one that goes ends what all of them left behind.
class Leftovers {
 public:
  Leftovers();
  ~Leftovers();
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  // As fork. The child is not left over until it is forgotten.
  static pid_t fork_kept();
  // The child has been reaped.
  static void forget(pid_t child);
};

}  // namespace rff
