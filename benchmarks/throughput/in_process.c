/* in_process SECONDS SCHEDULER: how many runs a second a subject makes inside one process. Its main is the body of each run; what
 * it leaves in its variables stays, as in a test that does not clean up. Prints one JSON line. */
#include <rff/harness.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double rate(int (*body)(void*), double seconds, const char* scheduler, unsigned long* failed) {
  double begin = now();
  double passed = 0;
  unsigned long runs = 0;
  for (; passed < seconds; passed = now() - begin) {
    for (int i = 0; i < 16; ++i) {
      rff_schedule schedule = rff_schedule_from_seed(runs++, scheduler);
      *failed += rff_run(&schedule, body, NULL) == RFF_FAILED;
    }
  }
  return (double)runs / passed;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fputs("usage: in_process SECONDS SCHEDULER\n", stderr);
    return 2;
  }
  unsigned long failed = 0;
  unsigned long none = 0;
  double seconds = atof(argv[1]);
  rff_on_finding(abandon, NULL);
  rate(run_subject, seconds / 10, argv[2], &none);
  double subject = rate(run_subject, seconds, argv[2], &failed);
  const rff_facts facts = *rff_last_run();
  double empty = rate(do_nothing, seconds / 10, argv[2], &none);
  printf("{\"runs_per_second\": %.1f, \"failed\": %lu, \"events\": %lu, \"empty_run_us\": %.3f}\n", subject, failed,
         (unsigned long)facts.events, 1e6 / empty);
  return 0;
}
