// Kills processes that a program leaves behind in sessions of their own. This process adopts them
// when their parent ends, so that they can be killed with the run that created them.
#pragma once

#include <sys/types.h>

namespace rff {

// Exists as long as a program runs. The last object to be destroyed kills everything left behind.
class Leftovers {
 public:
  Leftovers();
  ~Leftovers();
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  // Like fork. The child does not count as left behind until forget().
  static pid_t fork_kept();
  // Call when the child has been reaped.
  static void forget(pid_t child);
};

}  // namespace rff
