// Answers instructions of code that is not patched (libraries) that ask the processor: cpuid, rdtsc
// and rdtscp fault (instruction_traps.h).
#pragma once

namespace rff {

// For a signal handler, with its third argument. Returns false if no such instruction faulted.
bool answer_query(void* context);

}  // namespace rff
