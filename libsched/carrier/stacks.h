// Allocates thread stacks. Both carriers use it, so that a thread's stack, its descriptor and its
// thread-local data have the same addresses on both, far from where the kernel maps the program's
// own memory.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "libsched/support/places.h"
#include "libsched/support/stack.h"

namespace rff {

class Stacks {
 public:
  // Allocates a stack according to the attributes. Returns false if there is no memory.
  bool take(const pthread_attr_t* attributes, Stack* stack);
  void give_back(const Stack& stack);
  // Call before the first thread. Enlarges stacks for this many bytes of thread-local variables:
  // like the C library, refuse no program for having many.
  void make_room(std::uint64_t variables);
  // Maps `count` stacks of `size` bytes (0: as for threads without attributes) in advance, so that
  // a forked process finds them ready. Does not affect their addresses.
  void prepare(std::uint32_t count, std::uint64_t size = 0);
  // The size of the first stack that was allocated; 0: none.
  std::uint64_t first_size() const { return first_size_; }
  // How many there have been, not counting those that were given back and taken again.
  std::uint32_t taken() const { return taken_; }
  // For a process that makes many runs, each with the prepared stacks: they are not as new.
  void expect_used() { used_ = true; }
  // For a process in which all pages that earlier runs have used are there, zeroed.
  void expect_present() { present_ = true; }
  // Unmaps the stacks of the run that were not prepared.
  void end_run();

 private:
  std::uint64_t next() const { return places::kStacks + after_; }
  std::uint64_t default_size() const;
  static std::uint64_t map(std::uint64_t place, std::uint64_t size);
  void drop_prepared();

  struct Free {
    std::uint64_t mapping;
    std::uint64_t size;
  };
  std::vector<Free> free_;
  std::uint64_t after_ = 0;     // offset of the next one from kStacks
  std::uint64_t extra_ = 0;     // bytes of a stack beyond the default size
  std::uint64_t prepared_ = 0;  // begin of the next to be prepared, if beyond next()
  std::uint64_t prepared_size_ = 0;
  std::uint64_t first_size_ = 0;
  std::uint32_t taken_ = 0;
  bool used_ = false;  // by earlier runs: those that were prepared
  bool present_ = false;
};

Stacks& stacks();

}  // namespace rff
