/* Tells the fuzzing engine what a run was like: its reads-from pairs, and if asked for
 * (RFF_FEATURES=rf,turns,switches) the turns of its threads and how often it switched them. One
 * object serves every engine: each finds its own section or variable and ignores the others.
 * Features depend on code and data alone, not on addresses: they are the same in every process. */
#include <rff/harness.h>
#include <stdio.h>
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
enum { kReadsFrom, kSwitches, kTurns }; /* domains */

/* AFL++'s map: room of our own in it, beside the numbers of the edges. Its size is settled by a
 * constructor of priority 3, after those of priority 2 have counted the edges. */
extern uint8_t* __afl_area_ptr __attribute__((weak));
extern uint32_t __afl_map_size __attribute__((weak));
extern uint32_t __afl_final_loc __attribute__((weak));
#define ROOM (1 << 14)
static uint32_t first_of_room;

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
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

static int wants_pairs, wants_switches, wants_turns;
static size_t told; /* words of `features` */

static void tell(uint64_t domain, uint16_t value) {
  uint16_t place = (uint16_t)(value + domain * 40503u); /* domains begin at places far apart */
  counters[place % COUNTERS] = 1;
  for_afl(place);
  if (told < FEATURES) {
    features[told++] = domain << 32 | (value + 1u);
  }
}

static void run_ended(const rff_facts* run) {
  told = 0;
  for (size_t i = 0; wants_pairs && i < run->feature_count; ++i) {
    tell(kReadsFrom, run->features[i]);
  }
  if (wants_turns) {
    size_t count = 0;
    const uint16_t* turns = rff_turns(&count);
    for (size_t i = 0; i < count; ++i) {
      tell(kTurns, turns[i]);
    }
  }
  if (wants_switches) {
    tell(kSwitches, (uint16_t)(run->switches < 1 << 12 ? run->switches : 1 << 12));
  }
  for (size_t i = told; i < FEATURES && features[i] != 0; ++i) {
    features[i] = 0;
  }
}

/* AddressSanitizer calls it when it has found an error. */
void __asan_on_error(void) { rff_print_replay(); }

/* Returns whether the list consists of known words, and notes them. */
static int read_wanted(const char* list) {
  for (size_t word; *list != 0; list += word + (list[word] == ',')) {
    word = strcspn(list, ",");
    if (word == 2 && strncmp(list, "rf", word) == 0) {
      wants_pairs = 1;
    } else if (word == 8 && strncmp(list, "switches", word) == 0) {
      wants_switches = 1;
    } else if (word == 5 && strncmp(list, "turns", word) == 0) {
      wants_turns = 1;
    } else if (word != 4 || strncmp(list, "none", word) != 0) {
      return 0;
    }
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char* wanted = getenv("RFF_FEATURES");
  if (!read_wanted(wanted != NULL ? wanted : "rf")) {
    fprintf(stderr, "rff: RFF_FEATURES is a list of rf, turns and switches, or none, not %s\n",
            wanted);
    _Exit(2);
  }
  if (wants_pairs || wants_switches || wants_turns) {
    rff_after_run(run_ended);
  }
}
