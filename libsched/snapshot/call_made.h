// A system call that a run in place is about to make.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "libsched/snapshot/unwatched.h"

namespace rff {

struct CallMade {
  long number;
  long arguments[6];
};

template <std::size_t N>
inline bool is_in(const long (&list)[N], long number) {
  return std::find(std::begin(list), std::end(list), number) != std::end(list);
}

inline long make_as_it_is(const CallMade& c) {
  const long* a = c.arguments;
  return unwatched::call(c.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace rff
