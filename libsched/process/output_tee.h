// Keeps what the program writes to its standard output and error, where the fuzzer has asked for
// it. The program goes on writing to where its descriptors lead: nothing that it can ask changes.
#pragma once

#include <sys/uio.h>

#include "schedule/shared_memory.h"

namespace rff::output_tee {

// Before main. Says in `where` what is said from now on.
void start(SharedOutput& where);

// The program is about to write; for any descriptor. These run aside in every run, wanted or not.
void writes(int fd, const void* from, std::size_t bytes);
void writes(int fd, const iovec* parts, int count);

// The run ends here: what streams have not written yet is lost to the program, but not to us.
void end();

}  // namespace rff::output_tee
