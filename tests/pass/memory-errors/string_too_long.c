// The repaired twin of the faulty program.
#define REPAIRED
#include "fail/memory-errors/string_too_long.c"
