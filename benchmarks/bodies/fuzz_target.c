/* A subject for libFuzzer, AFL++ and Centipede: the whole input is the schedule of a run of its main. */
#include <rff/harness.h>
#include <stdlib.h>
#include <string.h>

#include "fresh_variables.h"

int subject_main(int argc, char** argv);

static char* arguments[] = {(char*)"subject", NULL};

static int body(void* unused) {
  (void)unused;
  subject_main(1, arguments);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* encoding = getenv("BYTES_MEAN");
  fresh_variables((const void*)subject_main);
  rff_schedule schedule = rff_schedule_from_bytes(&data, &size, RFF_ALL);
  if (encoding != NULL && strcmp(encoding, "index") == 0) {
    schedule.bytes_mean = RFF_BYTES_INDEX;
  }
  return rff_run(&schedule, body, NULL);
}
