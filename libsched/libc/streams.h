// What the C library keeps in a stream's own memory, and its list of all streams.
#pragma once

#include <cstdio>

namespace rff::streams {

// Call once, before main. Without it no stream counts as at rest.
void find_list();
// Whether the C library has nothing to write and no input to give back, in any stream.
bool all_at_rest();

// From now on `tap` hears what the C library writes for a stream, before it does. It runs on the
// runtime's own stack and may use neither memory of its own nor other threads; for the program
// nothing changes, not even what lies unwritten on its stack. False if this C library keeps its
// functions elsewhere. Call once, before main.
using Tap = void (*)(const FILE* stream, const void* from, std::size_t bytes);
bool tap_writes(Tap tap);
// Returns what streams hold that is not written yet; needs find_list.
void tell_unwritten(Tap tap);

inline bool has_input(const FILE* f) { return f->_IO_read_ptr < f->_IO_read_end; }
// The next byte. Requires: has_input.
inline unsigned char next_byte(const FILE* f) {
  return static_cast<unsigned char>(*f->_IO_read_ptr);
}
inline bool has_output(const FILE* f) { return f->_IO_write_ptr != f->_IO_write_base; }

}  // namespace rff::streams
