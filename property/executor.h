// Runs a property again and again in a child process, so that a crash, an exit or a hang ends only
// the child and the values of the run that did it are known.
#ifndef RFF_PROPERTY_EXECUTOR_H
#define RFF_PROPERTY_EXECUTOR_H

#include <sys/types.h>

#include "property/current_run.h"

enum { RFF_MOST_INPUT = 1 << 20 };

enum rff_verdict_kind {
  RFF_RUN_PASSED,
  RFF_RUN_DISCARDED,
  RFF_RUN_CHECK_FAILED,
  RFF_RUN_CRASHED,  // code: the signal
  RFF_RUN_EXITED,   // code: the status
  RFF_RUN_HANGS     // code: the seconds it was given
};

struct rff_verdict {
  enum rff_verdict_kind kind;
  int code;
  int line;
  char file[512];
  char message[RFF_MOST_MESSAGE];
  char values[RFF_MOST_VALUES];
};

struct rff_shared_run;

struct rff_executor {
  const struct rff_property_entry* entry;
  int seconds;  // that one run may take; 0: any time
  int silent;   // what the property prints is thrown away
  pid_t child;  // 0: none
  int channel;
  struct rff_shared_run* shared;
};

// Returns zero, or an errno. Nothing else fails later: without a process to run in, the tool ends
// with status 2.
int rff_executor_open(struct rff_executor* executor, const struct rff_property_entry* entry,
                      int seconds);
void rff_executor_close(struct rff_executor* executor);

// Runs the property on at most RFF_MOST_INPUT bytes.
void rff_executor_run(struct rff_executor* executor, const unsigned char* data, size_t size,
                      struct rff_verdict* verdict);

// The next run begins in a new process, with or without its output.
void rff_executor_restart(struct rff_executor* executor, int silent);

// Nonzero if both failures are of one kind and place.
int rff_same_failure(const struct rff_verdict* a, const struct rff_verdict* b);

#endif
