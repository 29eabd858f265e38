// Calls that may wait for something outside the process: descriptors, children, locks of files.
//
// A model of the world around the threads belongs here. Without one, such a call waits as a pending
// operation that is enabled when the kernel would not block: other threads continue meanwhile, and
// if none can run, the process really waits. The wait is never called a deadlock, the run is
// marked, and the report names the call.
#pragma once

#include <poll.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"

namespace rff::outside {

// Waits until `rule` holds or the deadline is reached. `internal`: only the program itself can end
// the wait. Returns false, with errno set, if a signal interrupted the wait.
bool wait(const char* name, const WaitRule& rule, void* state, std::uint64_t deadline,
          const void* caller, Interruption on_signal, bool internal = false);

// Returns whether a call on this descriptor could wait: regular files never block, and a
// nonblocking descriptor returns at once.
bool may_block(int fd);

// Call before a call that reads from or writes to a descriptor. `waits`: the call may wait;
// `bytes`: as many are to be read. Returns false if a signal interrupted the wait.
bool await(const char* name, int fd, short events, const void* caller,
           Interruption on_signal = Interruption::kUnlessRestarted, bool waits = true,
           std::size_t bytes = 0);
bool ready(int fd, short events);

// For calls that can be tested without waiting: `ask` returns whether the real call would return at
// once; or it makes the call without waiting and returns whether that completed it.
template <typename Ask>
bool until(const char* name, std::uint64_t deadline, Ask ask, const void* caller,
           Interruption on_signal = Interruption::kUnlessRestarted, bool internal = false) {
  constexpr static WaitRule kRule = {[](const Operation& op) {
                                       children::settle();
                                       return (*static_cast<Ask*>(op.state))();
                                     },
                                     nullptr, WaitObject::kOutside};
  constexpr static WaitRule kInternal = {
      [](const Operation& op) { return (*static_cast<Ask*>(op.state))(); }, nullptr,
      WaitObject::kEvents};
  return wait(name, internal ? kInternal : kRule, &ask, deadline, caller, on_signal, internal);
}

// Repeats a call that does not wait, until it succeeds or fails with another error than the given
// ones, or the deadline is reached.
template <typename Call>
auto retry(const char* name, int again, int or_again, Call call, const void* caller,
           Interruption on_signal = Interruption::kUnlessRestarted,
           std::uint64_t deadline = kNever) {
  decltype(call()) result{};
  int error = 0;
  bool settled = false;
  auto ask = [&] {
    if (!settled) {
      result = call();
      error = errno;
      settled = result >= 0 || (error != again && error != or_again);
    }
    return settled;
  };
  if (!until(name, deadline, ask, caller, on_signal) && !settled) {
    return decltype(call()){-1};
  }
  errno = error;
  return result;
}

inline std::uint64_t after_milliseconds(int ms) {
  return ms < 0 ? kNever : runtime->run.execution.now + static_cast<std::uint64_t>(ms) * 1'000'000;
}
inline std::uint64_t after(const timespec* duration) {
  return duration == nullptr ? kNever : virtual_after(*duration);
}

}  // namespace rff::outside
