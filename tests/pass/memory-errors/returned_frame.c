// The repaired twin of the faulty program.
#define REPAIRED
#include "fail/memory-errors/returned_frame.c"
