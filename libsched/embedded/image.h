// The runtime's own memory as it is when a run begins.
//
// In a process that makes many runs (embedded/door.cc) every run must find the runtime as the first
// one found it: no lock held, no name taken, no time passed. The fork server has that from the
// kernel, which gives each child a copy of the memory. Here the copy is our own: the variables of
// this library and what it allocated before the first run. Where the kernel tells which pages were
// written since, only those are put back: a few of some thirty.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rff {

class RuntimeImage {
 public:
  // Copies the memory. Call when everything that is the same for all runs has been done; call
  // again when that has changed.
  void save();
  // Puts the copy back. Requires: no thread of the run executes code any more.
  void restore() const;
  // For tests: whether the kernel tells which pages were written.
  bool follows_writes() const;
  // For tests: two images cannot follow the same memory.
  void stop_following() const;
  // For tests: returns an address whose content differs from the copy, or 0.
  std::uint64_t first_difference() const;

 private:
  struct Part {
    char* place = nullptr;
    std::size_t bytes = 0;
    char* copy = nullptr;
  };
  struct Watch;
  static constexpr std::size_t kMostParts = 8;
  static constexpr std::uint32_t kRunsBetween = 64;

  void add(void* place, std::size_t bytes);
  void follow_writes() const;
  bool restore_written() const;
  void forget_writes() const;
  static void put_back(const Part& part, std::uint64_t begin, std::uint64_t end);

  Part parts_[kMostParts];
  std::size_t count_ = 0;
  char* copies_ = nullptr;  // of all parts, in one mapping
  std::size_t room_ = 0;
  Watch* watch_ = nullptr;  // outside of the memory that is put back
};

}  // namespace rff
