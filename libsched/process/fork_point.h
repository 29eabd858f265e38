// Decides whether children may be forked where a run begins. Code before the first thread cannot
// depend on the schedule, so runs are forked there; but children share what the parent has opened.
// This checks whether that matters.
#pragma once

#include <string>
#include <vector>

namespace rff {

class ForkPoint {
 public:
  // Checks the process's descriptors and mappings. Returns an empty text if children may start
  // here, otherwise the reason why not.
  std::string obstacle();
  // Returns whether any file is open besides the standard ones and the runtime's.
  bool has_files() const;

  // Remembers what children share of files open for reading, and restores it before each child.
  void remember_files();
  void restore_files() const;

 private:
  struct File {
    int descriptor;
    long offset;
    long flags;
  };
  std::vector<File> files_;
};

}  // namespace rff
