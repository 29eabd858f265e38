// Records what the program writes to its standard output and error, if the fuzzer requests it. The
// program still writes to its own descriptors: it cannot observe a difference.
#pragma once

#include <sys/uio.h>

#include "schedule/shared_memory.h"

namespace rff::output_tee {

// Call before main. Records output in `where` from now on.
void start(SharedOutput& where);

// Call when the program is about to write to any descriptor. Runs on the runtime stack in every
// run, requested or not.
void writes(int fd, const void* from, std::size_t bytes);
void writes(int fd, const iovec* parts, int count);

// Call at the end of the run. Records what streams have not written yet, which the program loses.
void end();

}  // namespace rff::output_tee
