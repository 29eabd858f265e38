// System calls that the program makes by itself, without the C library's functions for them.
#pragma once

namespace rff {

// Carries the call out as the C library's function of that name would be, and leaves the kernel's
// value in *result. False: it must be executed where it is (it makes a process or never returns).
bool system_call(long number, const long (&arguments)[6], const void* caller, long* result);

}  // namespace rff
