// Where a run may begin. What happens before the first thread cannot depend on the schedule, so
// children are forked there; but children share what the parent has opened. This finds out whether
// that matters.
#pragma once

#include <string>
#include <vector>

namespace rff {

class ForkPoint {
 public:
  // Looks at the process's descriptors and mappings. Empty if children may start here; else what
  // stands against it.
  std::string obstacle();
  // Whether any file is open besides the standard ones and the runtime's.
  bool has_files() const;

  // Remembers offsets of files open for reading, and puts them back before each child.
  void remember_offsets();
  void restore_offsets() const;

 private:
  struct Offset {
    int descriptor;
    long offset;
  };
  std::vector<Offset> offsets_;
};

}  // namespace rff
