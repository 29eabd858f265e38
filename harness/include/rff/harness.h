/* Runs of a piece of code under a chosen schedule, inside this process: for fuzz targets and for
 * unit tests. docs/harness.md is the tutorial.
 *
 *   int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
 *     rff_schedule schedule = rff_schedule_from_bytes(&data, &size, RFF_TAIL);
 *     return rff_run(&schedule, body, 0);
 *   }
 *
 * Threads that the body creates, and theirs, take turns as the schedule says; all other threads of
 * the process are left alone. A run depends on nothing but the body and the schedule. A deadlock, a
 * hang, a failed assertion, an abort or a crash in the body prints what happened and how to repeat
 * it, and aborts. */
#ifndef RFF_HARNESS_H
#define RFF_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which bytes of an input are the schedule; the others are left to the caller. */
enum {
  RFF_ALL,  /* all of them */
  RFF_TAIL, /* the second half */
  RFF_SPLIT /* as many as the first two bytes say (little-endian), taken from the end */
};

/* How decisions go on after the last byte of a schedule. */
enum {
  RFF_END_FIRST, /* the first thread that can run, in order of creation */
  RFF_END_STAY,  /* the thread that runs goes on as long as it can */
  RFF_END_SEED,  /* at random (partial order sampling), seeded by the bytes */
  RFF_END_STOP   /* the body is abandoned and the input rejected: rff_run returns RFF_REJECTED */
};

/* What a byte b of a schedule chooses among n threads that can run, in order of creation. Beyond
 * 256 threads it takes two bytes. */
enum {
  RFF_BYTES_STAY, /* b modulo n. 0: the thread that runs goes on; else the b-th of the others */
  RFF_BYTES_INDEX /* the b-th thread, modulo n */
};

/* What happens to threads that have not ended when the body returns. */
enum {
  RFF_LEFT_RUN,    /* they run to their end, under the same schedule */
  RFF_LEFT_FAIL,   /* that is a finding, which names them */
  RFF_LEFT_ABANDON /* they execute nothing more; what they own is lost */
};

/* What rff_run returns besides what the body returns. */
#define RFF_REJECTED \
  (-1)                  /* the bytes ended, with RFF_END_STOP; libFuzzer does not keep the input */
#define RFF_FAILED (-2) /* the run failed, and the callback has called rff_abandon */

/* Where the decisions of a run come from. The functions below fill it in; `end`, `bytes_mean` and
 * `left` may be changed afterwards. What it points to must live until the run has ended. */
typedef struct rff_schedule {
  const char* scheduler; /* its name and parameters, as for rff-fuzz --scheduler; or null */
  const char* encoded;   /* a whole schedule file; or null */
  size_t encoded_size;
  const uint8_t* bytes;
  size_t size;
  uint64_t seed;
  int end;        /* RFF_END_… */
  int bytes_mean; /* RFF_BYTES_… */
  int left;       /* RFF_LEFT_… */
} rff_schedule;

/* Takes its part of an input, as `part` says, and leaves the rest in *data and *size. Decisions
 * after the last byte: RFF_END_STAY. */
rff_schedule rff_schedule_from_bytes(const uint8_t** data, size_t* size, int part);
/* `scheduler`: "pos", "random", "pct:depth=3" or any other of rff-fuzz --help-schedulers that needs
 * no campaign; null: pos. */
rff_schedule rff_schedule_from_seed(uint64_t seed, const char* scheduler);
/* A schedule.bin of rff_save or rff-fuzz. A file that cannot be read ends the process with one
 * line. */
rff_schedule rff_schedule_from_file(const char* path);
/* The line that a failure prints. */
rff_schedule rff_schedule_from_text(const char* line);

/* Calls body(argument) under the schedule. Returns what the body returns, or RFF_REJECTED. The
 * calling thread is the run's first one. Nested and simultaneous runs are errors.
 *
 * The variable RFF_REPLAY of the environment, a line of text or the path of a file, replaces the
 * schedule of every run. Under rff-fuzz, rff-replay and rff-drive the whole program has a schedule,
 * and rff_run just calls the body. */
int rff_run(const rff_schedule* schedule, int (*body)(void*), void* argument);

/* How the last run went; valid until the next one begins. */
typedef struct rff_facts {
  uint64_t events;    /* memory accesses and calls of primitives */
  uint64_t decisions; /* choices between two or more threads */
  uint64_t switches;
  uint64_t threads;
  uint64_t reads_from;      /* a hash of which write each read took its value from */
  uint64_t trace;           /* a hash of every event with its thread, in order */
  const uint16_t* features; /* places in a map of 65,536: reads-from pairs of the run */
  size_t feature_count;
  const char* kind;   /* of a finding: "deadlock", "assert", …; "diverged" if a recorded schedule
                       * could   not be followed; null: the run did not fail */
  const char* report; /* the report of a finding; null: there is none */
} rff_facts;
const rff_facts* rff_last_run(void);

/* Where turns of threads ended and began in the last run: for each switch a place in a map of
 * 65,536, made of the calls or accesses before and after it and of how often their threads had been
 * there. Requires: a run was made. Valid until the next call. */
const uint16_t* rff_turns(size_t* count);

/* Writes the last run as an ordinary schedule file, with all of its decisions: rff-replay runs it.
 * Also callable when a run has failed. Returns 0, or -1 with errno. */
int rff_save(const char* path);
/* The line for rff_schedule_from_text and RFF_REPLAY; valid until the next run begins. */
const char* rff_last_text(void);

/* Is called when a run has failed, before the process aborts. The threads of the run stand still.
 * With a callback nothing is printed. Null: none. */
void rff_on_finding(void (*callback)(const rff_facts* facts, void* argument), void* argument);
/* Inside the callback: the process goes on, and rff_run returns RFF_FAILED. The threads of the run
 * never execute anything again; what they own is lost, and locks they hold stay locked. Where
 * threads are kernel threads (under AddressSanitizer) this is not possible: the process prints the
 * report and aborts. */
void rff_abandon(void);

/* Is called after each run that did not fail, by the thread that called rff_run. Null: none. */
void rff_after_run(void (*callback)(const rff_facts* facts));

/* Returns 1 under rff-fuzz, rff-replay and rff-drive, where the whole program has a schedule. */
int rff_is_controlled(void);

/* What a run sees of memory: "primitives", "compiler callbacks" or "instrumented code". */
const char* rff_memory_events(void);

/* For code that reports its accesses itself (librff_callbacks.a). The first is called before any
 * run; the second when the calling thread is about to access memory, where `place` is in the code
 * of the instruction. */
void rff_expect_accesses(void);
void rff_access(const void* address, size_t size, int kind, const void* place);
enum { RFF_READ, RFF_WRITE, RFF_READ_AND_WRITE };
/* For functions that a sanitizer calls before its report: prints how to repeat the run, if one goes
 * on. */
void rff_print_replay(void);

#ifdef __cplusplus
}
#endif

#endif
