// Calls that may wait for something outside the process: descriptors, children, locks of files.
//
// This is the place where the world around threads will be modelled. Until then such a call waits
// as a pending operation that is enabled when the kernel would not block: the other threads go on
// meanwhile, and if nobody else can run the process really waits. It is never called a deadlock,
// the run is marked, and the call is named in the report.
#pragma once

#include <poll.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"

namespace rff::outside {

// Waits until `rule` holds or the deadline has come. False, with errno set, if a signal came
// between.
bool wait(const char* name, const WaitRule& rule, void* state, std::uint64_t deadline,
          const void* caller, Interruption on_signal);

// Whether a call on this descriptor could wait: regular files never make anybody wait, and a
// descriptor that does not block says so itself.
bool may_block(int fd);

// Before a call that waits for a descriptor. False if a signal came between.
bool await(const char* name, int fd, short events, const void* caller,
           Interruption on_signal = Interruption::kUnlessRestarted);
bool ready(int fd, short events);

// For calls that can be asked without waiting: `ask` says whether the real call would return at
// once, or makes the call in a way that does not wait and says whether that has settled it.
template <typename Ask>
bool until(const char* name, std::uint64_t deadline, Ask ask, const void* caller,
           Interruption on_signal = Interruption::kUnlessRestarted) {
  constexpr static WaitRule kRule = {[](const Operation& op) {
                                       children::settle();
                                       return (*static_cast<Ask*>(op.state))();
                                     },
                                     nullptr, WaitObject::kOutside};
  return wait(name, kRule, &ask, deadline, caller, on_signal);
}

// Makes a call over and over without waiting, until it fails with none of the given errors or the
// deadline has come.
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
