// What the runtime takes for granted about the inside of the C library, tried out on the library
// that is loaded.
#pragma once

namespace rff {

// The name of the first assumption that does not hold; null if all do. Takes microseconds and
// leaves nothing in the heap. (Fibers try out what they alone need: ThreadDescriptors::prepare.)
const char* broken_assumption();

}  // namespace rff
