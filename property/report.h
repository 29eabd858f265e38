// The words in which a failure is told.
#ifndef RFF_PROPERTY_REPORT_H
#define RFF_PROPERTY_REPORT_H

#include "property/runner.h"

struct rff_failure {
  const struct rff_verdict* verdict;
  const unsigned char* input;
  size_t size;
  size_t size_before;  // of the input that failed first
  unsigned long run;   // in which it failed, from 1
  unsigned repeated;   // how many of `repetitions` runs of the input failed in the same way
  unsigned repetitions;
};

// Writes the failure. With random inputs the input is also written to NAME.input.
void rff_report_failure(const struct rff_property_entry* entry,
                        const struct rff_run_options* options, const struct rff_failure* failure,
                        FILE* out);

#endif
