// Runs one property on many inputs and shrinks what fails.
#include "property/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "property/random_input.h"
#include "property/report.h"
#include "property/shrink.h"
#include "rff/runtime_interface.h"

enum { MOST_SHRINK_TESTS = 20000, REPETITIONS = 10 };

static int failed(const struct rff_verdict* verdict) {
  return verdict->kind != RFF_RUN_PASSED && verdict->kind != RFF_RUN_DISCARDED;
}

struct shrinking {
  struct rff_executor* executor;
  struct rff_verdict* failure;  // the last one that was seen
  struct rff_verdict attempt;
};

static int fails_the_same_way(void* context, const unsigned char* data, size_t size) {
  struct shrinking* s = context;
  rff_executor_run(s->executor, data, size, &s->attempt);
  if (!rff_same_failure(&s->attempt, s->failure)) {
    return 0;
  }
  *s->failure = s->attempt;
  return 1;
}

// A hang is not shrunk: each attempt would take the time that a run may take.
static size_t shrink(struct rff_executor* executor, unsigned char* input, size_t size,
                     struct rff_verdict* failure) {
  struct shrinking s = {executor, failure, {0}};
  if (failure->kind == RFF_RUN_HANGS) {
    return size;
  }
  rff_executor_restart(executor, 1);
  return rff_shrink(input, size, fails_the_same_way, &s, MOST_SHRINK_TESTS);
}

// Counts the failures in new processes. The first one may print.
static unsigned repeat(struct rff_executor* executor, const struct rff_failure* failure) {
  struct rff_verdict again;
  unsigned count = 0;
  for (unsigned i = 0; i < failure->repetitions; i++) {
    rff_executor_restart(executor, i > 0);
    rff_executor_run(executor, failure->input, failure->size, &again);
    count += rff_same_failure(&again, failure->verdict) != 0;
  }
  return count;
}

static void shrink_and_report(struct rff_executor* executor, const struct rff_run_options* options,
                              unsigned char* input, struct rff_failure failure,
                              struct rff_verdict* verdict, FILE* out) {
  if (options->replay == NULL) {
    failure.size_before = failure.size;
    failure.size = shrink(executor, input, failure.size, verdict);
    failure.repetitions = verdict->kind == RFF_RUN_HANGS ? 0 : REPETITIONS;
    failure.repeated = repeat(executor, &failure);
  }
  rff_report_failure(executor->entry, options, &failure, out);
}

static void report_passed(const struct rff_property_entry* entry, unsigned long runs,
                          unsigned long discarded, FILE* out) {
  fprintf(out, "ok %s: %lu run%s", entry->name, runs, runs == 1 ? "" : "s");
  fprintf(out, discarded > 0 ? ", %lu discarded\n" : "\n", discarded);
  if (discarded * 100 > runs * 99) {
    fprintf(out,
            "  more than 99 %% of the runs of %s were discarded: draw values that meet its "
            "assumptions\n",
            entry->name);
  }
}

static enum rff_run_result run_all(struct rff_executor* executor,
                                   const struct rff_run_options* options, unsigned char* input,
                                   size_t size, FILE* out) {
  struct rff_verdict verdict;
  unsigned long discarded = 0;
  for (unsigned long run = 0; run < options->runs; run++) {
    if (options->replay == NULL) {
      size = rff_random_input(options->seed, run, input);
    }
    rff_executor_run(executor, input, size, &verdict);
    discarded += verdict.kind == RFF_RUN_DISCARDED;
    if (failed(&verdict)) {
      struct rff_failure failure = {&verdict, input, size, 0, run + 1, 0, 0};
      shrink_and_report(executor, options, input, failure, &verdict, out);
      return RFF_ONE_FAILED;
    }
  }
  report_passed(executor->entry, options->runs, discarded, out);
  return RFF_ALL_PASSED;
}

// Returns zero with a line that says why if the file cannot be read.
static int read_input(const char* name, unsigned char* input, size_t* size, FILE* out) {
  FILE* file = fopen(name, "rb");
  if (file != NULL) {
    *size = fread(input, 1, RFF_MOST_INPUT + 1, file);
  }
  if (file == NULL || ferror(file)) {
    fprintf(out, "cannot read the input %s: %s\n", name, strerror(errno));
  } else if (*size > RFF_MOST_INPUT) {
    fprintf(out, "the input %s has more than %d bytes\n", name, RFF_MOST_INPUT);
  } else {
    fclose(file);
    return 1;
  }
  if (file != NULL) {
    fclose(file);
  }
  return 0;
}

enum rff_run_result rff_run_property(const struct rff_property_entry* entry,
                                     const struct rff_run_options* options, FILE* out) {
  struct rff_executor executor;
  enum rff_run_result result = RFF_NOT_RUN;
  size_t size = 0;
  unsigned char* input = malloc(RFF_MOST_INPUT + 1);
  int error = input == NULL ? ENOMEM : rff_executor_open(&executor, entry, options->seconds);
  if (error != 0) {
    fprintf(out, "cannot run %s: %s\n", entry->name, strerror(error));
  } else {
    if (options->replay == NULL || read_input(options->replay, input, &size, out)) {
      result = run_all(&executor, options, input, size, out);
    }
    rff_executor_close(&executor);
  }
  free(input);
  return result;
}

static struct {
  const struct rff_property_entry* entry;
  struct rff_run_log log;
} runtime_run;

static void fail_under_runtime(void) {
  const struct rff_run_log* log = &runtime_run.log;
  if (rff_runtime_failed != NULL) {
    rff_runtime_failed(runtime_run.entry->name, log->message, log->file, log->line,
                       log->place);
  }
}

void rff_run_under_runtime(const struct rff_property_entry* entry, const unsigned char* data,
                           size_t size) {
  runtime_run.entry = entry;
  rff_tell_runtime();
  rff_run_here(entry, data, size, &runtime_run.log, fail_under_runtime);
}
