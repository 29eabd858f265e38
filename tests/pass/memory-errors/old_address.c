// The repaired twin of the faulty program.
#define REPAIRED
#include "fail/memory-errors/old_address.c"
