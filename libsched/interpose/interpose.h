// Shared by the interposers: one file per API family, each function a pending operation and then its effect.
#pragma once

#include "libsched/runtime.h"
#include "libsched/support/panic.h"
#include "libsched/support/real.h"

namespace rff {

// Whether this process is under control. Before libsched is initialised and in children of the program it is not.
inline bool controlled() { return runtime != nullptr; }

// An operation on an object at the caller's code location.
inline Operation operation(OpKind op, const void* object, const void* return_address) {
  Operation o;
  o.op = op;
  o.address = reinterpret_cast<std::uint64_t>(object);
  o.site = runtime->code(return_address);
  return o;
}

#define RFF_CALLER __builtin_return_address(0)

// Virtual deadline of an absolute time on a clock; see interpose/time.cc.
std::uint64_t virtual_deadline(int clock, const struct timespec* absolute);

// Called by blocking functions that are cancellation points, before and after they wait.
void cancellation_point();

}  // namespace rff
