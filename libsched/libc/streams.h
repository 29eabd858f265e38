// Access to the internals of C library streams, and to its list of all streams.
#pragma once

#include <cstdio>

namespace rff::streams {

// Call once, before main. Otherwise no stream counts as at rest.
void find_list();
// Returns whether no stream has unwritten output or unread input.
bool all_at_rest();

// From now on the C library reads and writes through these for every stream on a descriptor, also
// inside its own functions. Both may hand on to `read_really` and `write_really`. Returns false if
// this C library keeps its functions elsewhere. Call once, before main.
using Read = ssize_t (*)(FILE* stream, void* to, ssize_t bytes);
using Write = ssize_t (*)(FILE* stream, const void* from, ssize_t bytes);
bool route(Read read, Write write);
ssize_t read_really(FILE* stream, void* to, ssize_t bytes);
ssize_t write_really(FILE* stream, const void* from, ssize_t bytes);
// What writing for a stream has come to: -1 is an error. Returns what the C library expects.
ssize_t wrote(FILE* stream, ssize_t bytes);

// Calls `tap` before the C library writes for a stream, from now on. It runs on the runtime's own
// stack and must neither allocate nor use other threads; for the program nothing changes, not even
// unwritten parts of its stack. Returns false if this C library keeps its functions elsewhere. Call
// once, before main.
using Tap = void (*)(const FILE* stream, const void* from, std::size_t bytes);
bool tap_writes(Tap tap);
// Calls `tap` for the unwritten output of all streams. Requires: find_list.
void tell_unwritten(Tap tap);
// Returns the first stream for which `which` holds; null if there is none. Requires: find_list.
template <typename Which>
FILE* find(Which which);

inline bool has_output(const FILE* f) { return f->_IO_write_ptr != f->_IO_write_base; }

// The C library's list; null before find_list.
extern FILE** list;

template <typename Which>
FILE* find(Which which) {
  FILE* f = list != nullptr ? *list : nullptr;
  while (f != nullptr && !which(f)) {
    f = f->_chain;
  }
  return f;
}

}  // namespace rff::streams
