/* bodies RUNS SEED < LIST: makes many runs of many programs in one process, in random order. Each
 * line of the list has a name and a shared object whose function body_main is the body of its runs;
 * its variables are fresh in each. Prints a line for each outcome: how often, the name, and the
 * kind of the finding, or what the program printed by body_printf. */
#include <dlfcn.h>
#include <rff/harness.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../benchmarks/bodies/fresh_variables.h"

enum { kMostBodies = 512, kMostOutcomes = 256, kMostText = 240 };

struct Outcome {
  char text[kMostText];
  unsigned long times;
};
struct Body {
  char name[kMostText];
  int (*main)(void);
  struct Outcome outcomes[kMostOutcomes];
};
static struct Body bodies[kMostBodies];
static char printed[kMostText];

/* Stands for printf in the programs that say what came of them. */
__attribute__((format(printf, 1, 2))) int body_printf(const char* form, ...) {
  va_list values;
  va_start(values, form);
  int length = vsnprintf(printed, sizeof printed, form, values);
  va_end(values);
  return length;
}

static int body(void* of) { return ((struct Body*)of)->main(); }

static void abandon(const rff_facts* run, void* unused) {
  (void)unused;
  snprintf(printed, sizeof printed, "%s", run->kind);
  rff_abandon();
}

static void count(struct Body* of, const char* text) {
  for (struct Outcome* o = of->outcomes; o < of->outcomes + kMostOutcomes; ++o) {
    if (o->times == 0) {
      strcpy(o->text, text);
    }
    if (strcmp(o->text, text) == 0) {
      ++o->times;
      return;
    }
  }
  fprintf(stderr, "bodies: %s has too many outcomes\n", of->name);
  exit(2);
}

static uint64_t draw(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static size_t load(void) {
  size_t loaded = 0;
  char path[4096];
  for (; loaded < kMostBodies && scanf("%239s %4095s", bodies[loaded].name, path) == 2; ++loaded) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* found = library != NULL ? dlsym(library, "body_main") : NULL;
    if (found == NULL) {
      fprintf(stderr, "bodies: %s\n", dlerror());
      exit(2);
    }
    memcpy(&bodies[loaded].main, &found, sizeof found);
  }
  return loaded;
}

int main(int argc, char** argv) {
  static const char* const kSchedulers[] = {"random", "pos", "pct:depth=3"};
  if (argc != 3) {
    fputs("usage: bodies RUNS SEED < LIST\n", stderr);
    return 2;
  }
  unsigned long runs = strtoul(argv[1], NULL, 10);
  uint64_t state = strtoull(argv[2], NULL, 10);
  size_t count_of = load();
  if (count_of == 0) {
    return 2;
  }
  rff_on_finding(abandon, NULL);
  int says = getenv("BODIES_TELL") != NULL;
  for (unsigned long i = 0; i < runs; ++i) {
    struct Body* next = &bodies[draw(&state) % count_of];
    void* code = NULL;
    memcpy(&code, &next->main, sizeof code);
    fresh_variables(code);
    printed[0] = 0;
    uint64_t seed = draw(&state);
    rff_schedule schedule = rff_schedule_from_seed(seed, kSchedulers[seed % 3]);
    if (says) {
      fprintf(stderr, "%s %s\n", next->name, rff_last_text());
    }
    int result = rff_run(&schedule, body, next);
    if (result != 0 && result != RFF_FAILED) {
      snprintf(printed, sizeof printed, "returned %d", result);
    }
    printed[strcspn(printed, "\n")] = 0;
    count(next, printed[0] != 0 ? printed : "none");
  }
  for (struct Body* b = bodies; b < bodies + count_of; ++b) {
    for (struct Outcome* o = b->outcomes; o < b->outcomes + kMostOutcomes && o->times > 0; ++o) {
      printf("%lu\t%s\t%s\n", o->times, b->name, o->text);
    }
  }
  return 0;
}
