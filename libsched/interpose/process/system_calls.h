// System calls that the program makes itself, without the C library's functions for them.
#pragma once

namespace rff {

// Performs the call as the interposed function of that name would, and stores the kernel's value in
// *result. Returns false if the program must execute the call itself (it never returns, or makes a
// process that shares memory).
bool system_call(long number, const long (&arguments)[6], const void* caller, long* result);

}  // namespace rff
