// Random inputs: a pure function of seed and run.
#ifndef RFF_PROPERTY_RANDOM_INPUT_H
#define RFF_PROPERTY_RANDOM_INPUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RFF_MOST_RANDOM_BYTES = 1024 };

// Fills at most RFF_MOST_RANDOM_BYTES bytes and returns how many. Every input of at most one byte
// is among the first 769 runs.
size_t rff_random_input(uint64_t seed, uint64_t run, unsigned char* data);

#ifdef __cplusplus
}
#endif

#endif
