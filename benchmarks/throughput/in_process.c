/* in_process SECONDS SCHEDULER: how many runs a second a subject makes inside one process. Its main is the body of each run, which
 * begins with fresh variables. Measured in short turns, of which the tenth percentile counts, as in rate.cc. Prints one JSON line. */
#include <rff/harness.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../bodies/fresh_variables.h"

int subject_main(int argc, char** argv);

static char* arguments[] = {(char*)"subject", NULL};

static int run_subject(void* unused) {
  (void)unused;
  return subject_main(1, arguments);
}

static int do_nothing(void* unused) { return unused != NULL; }

static void abandon(const rff_facts* facts, void* unused) {
  (void)facts;
  (void)unused;
  rff_abandon();
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

/* A turn is shorter than what a loaded machine gives a process at a time. */
static const double kTurn = 1e-3;
enum { kMostTurns = 1 << 20 };
static double turns[kMostTurns];

struct Counts {
  unsigned long runs, failed, events;
};

/* Returns the seconds of a run. */
static double length_of(int (*body)(void*), double seconds, const char* scheduler, struct Counts* counts) {
  size_t taken = 0;
  for (double begin = now(); now() - begin < seconds && taken < kMostTurns; ++taken) {
    double turn = now();
    int runs = 0;
    for (; runs == 0 || now() - turn < kTurn; ++runs) {
      fresh_variables((const void*)subject_main);
      rff_schedule schedule = rff_schedule_from_seed(counts->runs++, scheduler);
      counts->failed += rff_run(&schedule, body, NULL) == RFF_FAILED;
      counts->events += rff_last_run()->events;
    }
    turns[taken] = (now() - turn) / runs;
  }
  qsort(turns, taken, sizeof *turns, by_value);
  return turns[taken / 10];
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fputs("usage: in_process SECONDS SCHEDULER\n", stderr);
    return 2;
  }
  struct Counts warm = {0, 0, 0}, subject = {0, 0, 0}, none = {0, 0, 0};
  double seconds = atof(argv[1]);
  rff_on_finding(abandon, NULL);
  length_of(run_subject, seconds / 10, argv[2], &warm);
  double length = length_of(run_subject, seconds, argv[2], &subject);
  double empty = length_of(do_nothing, seconds / 10, argv[2], &none);
  printf("{\"runs_per_second\": %.1f, \"failed\": %.3f, \"events\": %.1f, \"empty_run_us\": %.3f}\n", 1 / length,
         (double)subject.failed / (double)subject.runs, (double)subject.events / (double)subject.runs, 1e6 * empty);
  return 0;
}
