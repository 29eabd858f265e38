// Runs one property on many inputs, shrinks what fails, and writes what happened.
#ifndef RFF_PROPERTY_RUNNER_H
#define RFF_PROPERTY_RUNNER_H

#include <stdio.h>

#include "property/executor.h"

struct rff_run_options {
  unsigned long runs;
  uint64_t seed;
  int seconds;            // that one run may take; 0: any time
  const char* replay;     // the file of the only input, or null
  const char* command;    // the words with which the replay command begins
  const char* selection;  // the option with which it selects the property
  int by_environment;     // nonzero: it gives the file and the runs as variables before these words
};

enum rff_run_result { RFF_ALL_PASSED, RFF_ONE_FAILED, RFF_NOT_RUN };

// Writes the result to `out`: a line if all runs passed, else the failure with its values and the
// command that replays it, whose input is written to the current folder. RFF_NOT_RUN means that
// the file to replay cannot be read; then `out` has the reason in one line.
enum rff_run_result rff_run_property(const struct rff_property_entry* entry,
                                     const struct rff_run_options* options, FILE* out);

// Runs the property once in this process on the runtime's bytes and returns if it did not fail.
void rff_run_under_runtime(const struct rff_property_entry* entry, const unsigned char* data,
                           size_t size);

#endif
