// Access to the internals of C library streams, and to its list of all streams.
#pragma once

#include <cstdio>

namespace rff::streams {

// Call once, before main. Otherwise no stream counts as at rest.
void find_list();
// Returns whether no stream has unwritten output or unread input.
bool all_at_rest();

// Calls `tap` before the C library writes for a stream, from now on. It runs on the runtime's own
// stack and must neither allocate nor use other threads; for the program nothing changes, not even
// unwritten parts of its stack. Returns false if this C library keeps its functions elsewhere. Call
// once, before main.
using Tap = void (*)(const FILE* stream, const void* from, std::size_t bytes);
bool tap_writes(Tap tap);
// Calls `tap` for the unwritten output of all streams. Requires: find_list.
void tell_unwritten(Tap tap);

inline bool has_input(const FILE* f) { return f->_IO_read_ptr < f->_IO_read_end; }
// Returns the next byte. Requires: has_input.
inline unsigned char next_byte(const FILE* f) {
  return static_cast<unsigned char>(*f->_IO_read_ptr);
}
inline bool has_output(const FILE* f) { return f->_IO_write_ptr != f->_IO_write_base; }

}  // namespace rff::streams
