// As seen_by_library, but the library has a C library of its own, where a failed assertion is but
// a signal.
#define _GNU_SOURCE
#define LOAD(path) dlmopen(LM_ID_NEWLM, path, RTLD_NOW)
#include "seen_by_library.c"
