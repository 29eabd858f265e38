// Stacks of threads. Both carriers take them from here, so that a thread's stack, its descriptor
// and its thread-local data lie at the same addresses on both, far from where the kernel maps the
// program's own memory.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <map>
#include <vector>

namespace rff {

struct Stack {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t mapping = 0;  // with a guard below; 0 if the program gave the stack
};

class Stacks {
 public:
  // As the attributes ask. False: no memory.
  bool take(const pthread_attr_t* attributes, Stack* stack);
  void give_back(const Stack& stack);
  // Maps ahead of time what `count` threads without attributes will take: a process forked from
  // here finds its stacks ready. Where they lie does not depend on it.
  void prepare(std::uint32_t count);

 private:
  static std::uint64_t map(std::uint64_t place, std::uint64_t size);
  void drop_prepared();

  std::map<std::uint64_t, std::vector<std::uint64_t>> free_;  // by size
  std::uint64_t next_ = 0x0e0000000000;
  std::uint64_t prepared_ = 0;  // where the next to be prepared begins, if beyond `next_`
};

Stacks& stacks();

}  // namespace rff
