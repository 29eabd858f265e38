// Makes a failing input smaller: fewer bytes, then a smaller number, if the bytes are read as one
// little-endian number. That order has no infinite descent, so shrinking ends.
#ifndef RFF_PROPERTY_SHRINK_H
#define RFF_PROPERTY_SHRINK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns nonzero if the bytes still fail in the same way.
typedef int (*rff_shrink_test)(void* context, const unsigned char* data, size_t size);

// Nonzero if a is smaller than b.
int rff_smaller_input(const unsigned char* a, size_t a_size, const unsigned char* b, size_t b_size);

// Shrinks the bytes in place and returns their new number. Every result was tested and failed,
// unless it is the input itself. Calls the test at most `most_tests` times, only with smaller
// inputs than the last that failed.
size_t rff_shrink(unsigned char* data, size_t size, rff_shrink_test test, void* context,
                  unsigned long most_tests);

#ifdef __cplusplus
}
#endif

#endif
