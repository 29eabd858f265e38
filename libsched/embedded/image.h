// The runtime's own memory as it is when a run begins.
//
// In a process that makes many runs (embedded/door.cc) every run must find the runtime as the first
// one found it: no lock held, no name taken, no time passed. The fork server has that from the
// kernel, which gives each child a copy of the memory. Here the copy is our own: the variables of
// this library and what it allocated before the first run.
#pragma once

#include <cstddef>

namespace rff {

class RuntimeImage {
 public:
  // Copies the memory. Call when everything that is the same for all runs has been done; call
  // again when that has changed.
  void save();
  // Puts the copy back. Requires: no thread of the run executes code any more.
  void restore() const;

 private:
  struct Part {
    char* place = nullptr;
    std::size_t bytes = 0;
    char* copy = nullptr;
  };
  static constexpr std::size_t kMostParts = 8;

  void add(void* place, std::size_t bytes);

  Part parts_[kMostParts];
  std::size_t count_ = 0;
  char* copies_ = nullptr;  // of all parts, in one mapping
  std::size_t room_ = 0;
};

}  // namespace rff
