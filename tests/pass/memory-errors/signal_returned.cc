// The repaired twin of the faulty program.
#define REPAIRED
#include "fail/memory-errors/signal_returned.cc"
