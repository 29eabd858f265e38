// The run of one property on one input in this process.
#ifndef RFF_PROPERTY_CURRENT_RUN_H
#define RFF_PROPERTY_CURRENT_RUN_H

#include "rff/draws.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RFF_MOST_VALUES = 65536, RFF_MOST_MESSAGE = 2048 };

enum rff_outcome { RFF_PASSED, RFF_DISCARDED };

// Keeps what a run leaves for whoever looks at it, also from another process after a crash.
struct rff_run_log {
  int discarded;
  int failed;  // nonzero from the moment that a thread began to report a failure
  int line;
  const void* place;  // the return address of the check
  char file[512];
  char message[RFF_MOST_MESSAGE];
  char values[RFF_MOST_VALUES];
};

// Runs a property on these bytes. A failure is written to the log, then `on_failure` is called on
// the failing thread; it must not return.
enum rff_outcome rff_run_here(const struct rff_property_entry* entry, const unsigned char* data,
                              size_t size, struct rff_run_log* log, void (*on_failure)(void));

// From here on discarded runs and values are told to the runtime.
void rff_tell_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
