// A thread's stack.
#pragma once

#include <cstdint>

namespace rff {

struct Stack {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t mapping = 0;  // includes a guard below; 0 if the program provided the stack
  bool fresh = false;         // all zero
};

}  // namespace rff
