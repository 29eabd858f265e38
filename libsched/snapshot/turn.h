// Who owes the fuzzer an answer, exact at every instant: a worker may die between any two
// instructions, and each request gets one process number and one status, from it or from the
// template.
//
// The kernel itself does the bookkeeping, within the system calls that take a request and send an
// answer: it writes the request into this memory, and the offset up to which it has sent the two
// words of the answer. So no instruction lies between a message and the note of it.
#pragma once

#include <cstdint>

namespace rff {

struct Turn {
  static constexpr std::uint32_t kNoRequest = 0xffffffff;
  static constexpr std::int64_t kAnswer = 8;  // bytes: a process number, a status

  std::uint32_t request;  // kNoRequest: none is being served
  std::int64_t sent;      // bytes of the answer
  // Why the worker is gone.
  std::int32_t retired_by;  // the system call after which the run could not end in place; -1: none
  std::uint32_t hung_up;    // 1: the fuzzer is gone
  // 1: the template is to serve the request: it is for a process without a snapshot.
  std::uint32_t handed_back;
  std::uint32_t refused;  // 1: no snapshot could be taken; SharedMemory::snapshot says why

  void expect_request() {
    request = kNoRequest;
    asm volatile("" : : : "memory");
    sent = 0;
    asm volatile("" : : : "memory");
  }
  // Whether a request was taken and its answer is not complete.
  bool owed() const { return request != kNoRequest && sent < kAnswer; }
};

}  // namespace rff
