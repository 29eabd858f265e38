// Locks of stdio streams. A thread may wait inside a function of the C library that has locked the
// stream: another that waited for the C library's own lock would stop all threads.
#pragma once

#include <stdio.h>

#include <cstdint>

namespace rff {

// A call of a function that may lock a stream, by the program. Waits first while another thread has
// the stream.
class StreamCall {
 public:
  StreamCall(FILE* f, const void* caller);
  ~StreamCall();
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

 private:
  std::uint32_t thread_ = 0;
  const void* before_ = nullptr;
};

// Returns the code that has made the current thread's StreamCall; `otherwise` if there is none.
const void* caller_of_stream(const void* otherwise);

// The current thread may wait inside the C library, which has locked the stream.
void enter_stream(FILE* f);
void leave_stream();
// It will leave by a jump.
void leave_all_streams();

// The stream ends.
void forget_stream(FILE* f);

// Writes what streams on descriptors of which all ends are in the program have not written, as far
// as no other thread has them.
void flush_internal_streams();
// Waits while another thread has any stream: the C library locks all of them for fflush(NULL).
void await_all_streams(const void* caller);

}  // namespace rff
