/* Tells the fuzzing engine which reads-from pairs a run had. One object serves every engine: each
 * finds its own section or variable and ignores the others. Features depend on code and data alone,
 * not on addresses: they are the same in every process. */
#include <rff/harness.h>
#include <stdlib.h>
#include <string.h>

/* Keeps this object in the link: -Wl,-u,rff_feedback. */
const char rff_feedback = 1;

/* libFuzzer clears them before each input and reads them after it. */
#define COUNTERS (1 << 14)
__attribute__((section("__libfuzzer_extra_counters"), used)) static uint8_t counters[COUNTERS];

/* Centipede reads the words that are not 0 after each input: the upper half is a domain. */
#define FEATURES (1 << 13)
__attribute__((section("__centipede_extra_features"), used)) static uint64_t features[FEATURES];
#define DOMAIN 0ull

/* AFL++'s map: room of our own in it, beside the numbers of the edges. Its size is settled by a
 * constructor of priority 3, after those of priority 2 have counted the edges. */
extern uint8_t* __afl_area_ptr __attribute__((weak));
extern uint32_t __afl_map_size __attribute__((weak));
extern uint32_t __afl_final_loc __attribute__((weak));
#define ROOM (1 << 14)
static uint32_t first_of_room;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
__attribute__((constructor(2))) static void take_room(void) {
  if (&__afl_final_loc != 0) {
    first_of_room = __afl_final_loc + 1;
    __afl_final_loc += ROOM;
  }
}
#pragma GCC diagnostic pop

static void for_afl(uint16_t place) {
  if (&__afl_area_ptr != 0 && __afl_area_ptr != 0 && &__afl_map_size != 0 &&
      __afl_map_size >= first_of_room + ROOM) {
    __afl_area_ptr[first_of_room + place % ROOM] = 1;
  }
}

static void run_ended(const rff_facts* run) {
  size_t n = run->feature_count;
  for (size_t i = 0; i < n; ++i) {
    counters[run->features[i] % COUNTERS] = 1;
    for_afl(run->features[i]);
    if (i < FEATURES) {
      features[i] = DOMAIN << 32 | (run->features[i] + 1u);
    }
  }
  for (size_t i = n; i < FEATURES && features[i] != 0; ++i) {
    features[i] = 0;
  }
}

/* AddressSanitizer calls it when it has found an error. */
void __asan_on_error(void) { rff_print_replay(); }

__attribute__((constructor)) static void begin(void) {
  const char* wanted = getenv("RFF_FEATURES");
  if (wanted == NULL || strcmp(wanted, "none") != 0) {
    rff_after_run(run_ended);
  }
}
