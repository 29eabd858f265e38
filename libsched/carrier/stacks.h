// Stacks of threads. Both carriers take them from here, so that a thread's stack, its descriptor
// and its thread-local data lie at the same addresses on both, far from where the kernel maps the
// program's own memory.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "libsched/support/places.h"
#include "libsched/support/stack.h"

namespace rff {

class Stacks {
 public:
  // As the attributes ask. False: no memory.
  bool take(const pthread_attr_t* attributes, Stack* stack);
  void give_back(const Stack& stack);
  // Before the first thread: so many bytes of a stack are for thread-local variables. The C library
  // refuses no program because it has many, either.
  void make_room(std::uint64_t variables);
  // Maps ahead of time what `count` threads without attributes will take: a process forked from
  // here finds its stacks ready. Where they lie does not depend on it.
  void prepare(std::uint32_t count);

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
  std::uint64_t after_ = 0;     // how far beyond kStacks the next one begins
  std::uint64_t extra_ = 0;     // bytes of a stack beyond the usual ones
  std::uint64_t prepared_ = 0;  // where the next to be prepared begins, if beyond next()
};

Stacks& stacks();

}  // namespace rff
