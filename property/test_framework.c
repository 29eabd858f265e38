// Properties as tests of a test framework.
#include "rff/test_framework.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "property/options.h"
#include "rff/runtime_interface.h"

// Returns null, or what is wrong with the variable.
static const char* read_variable(const char* name, unsigned long long most,
                                 unsigned long long* number) {
  const char* text = getenv(name);
  return text == NULL || rff_read_number(text, most, number) ? NULL : text;
}

static enum rff_test_result run_under_runtime(const struct rff_property_entry* entry,
                                              const unsigned char* data, size_t size) {
  const char* name = rff_runtime_property != NULL ? rff_runtime_property() : NULL;
  if (name != NULL && strcmp(name, entry->name) != 0) {
    return RFF_TEST_SKIPPED;
  }
  rff_run_under_runtime(entry, data, size);
  return RFF_TEST_PASSED;
}

static enum rff_test_result run_alone(const struct rff_property_entry* entry, const char* filter,
                                      FILE* out) {
  const char* replay = getenv("RFF_PROPERTY_REPLAY");
  unsigned long long runs = replay != NULL ? 1 : 1000;
  unsigned long long seed = rff_new_seed();
  const char* wrong;
  if ((wrong = read_variable("RFF_PROPERTY_RUNS", 1000000000, &runs)) != NULL ||
      (wrong = read_variable("RFF_PROPERTY_SEED", UINT64_MAX, &seed)) != NULL) {
    fprintf(out, "RFF_PROPERTY_RUNS and RFF_PROPERTY_SEED are numbers, not '%s'\n", wrong);
    return RFF_TEST_FAILED;
  }
  struct rff_run_options options = {(unsigned long)runs,     seed,   10, replay,
                                    program_invocation_name, filter, 1};
  return rff_run_property(entry, &options, out) == RFF_ALL_PASSED ? RFF_TEST_PASSED
                                                                  : RFF_TEST_FAILED;
}

enum rff_test_result rff_test_property(const struct rff_property_entry* entry, const char* filter,
                                       char** report) {
  const unsigned char* data;
  unsigned long size;
  size_t length;
  FILE* out = open_memstream(report, &length);
  if (out == NULL) {
    *report = strdup("out of memory");
    return RFF_TEST_FAILED;
  }
  enum rff_test_result result = rff_runtime_input != NULL && rff_runtime_input(&data, &size)
                                    ? run_under_runtime(entry, data, size)
                                    : run_alone(entry, filter, out);
  fclose(out);
  return result;
}
