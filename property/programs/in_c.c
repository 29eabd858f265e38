/* Properties in C99: some hold, each other one fails in its own way. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rff/property.h"

RFF_PROPERTY(holds) {
  long i = rff_long();
  rff_assume(i != 0);
  rff_check(i / i == 1);
}

RFF_PROPERTY(ten) {
  long i = rff_long();
  rff_check(i != 10);
}

RFF_PROPERTY(every_draw) {
  unsigned char bytes[16];
  char string[8];
  int b = rff_bool();
  int i = rff_int(-3, 3);
  double d = rff_double();
  size_t size = rff_bytes(bytes, sizeof bytes);
  size_t length = rff_string(string, sizeof string);
  unsigned pick = rff_pick(5);
  rff_check(b == 0 || b == 1);
  rff_check(i >= -3 && i <= 3);
  rff_check(d == d || d != d);
  rff_check(size <= sizeof bytes);
  rff_check(length == strlen(string) && length < sizeof string);
  rff_check(pick < 5);
}

RFF_PROPERTY(aborts) { assert(rff_int(0, 1000) < 300); }

RFF_PROPERTY(crashes) {
  if (rff_int(0, 1000) > 300) {
    *(volatile int*)NULL = 1;
  }
}

RFF_PROPERTY(fails_in_two_ways) {
  int i = rff_int(0, 65535);
  rff_check(i < 30000);
  rff_check(i < 100);
}

RFF_PROPERTY(remembers) {
  static int runs;
  runs++;
  rff_check(runs < 5);
}

RFF_PROPERTY(exits) {
  if (rff_bool()) {
    exit(0);
  }
}

RFF_PROPERTY(hangs) {
  while (rff_bool()) {
    pause();
  }
}

RFF_PROPERTY(discards_all) { rff_assume(rff_bool() == 2); }

RFF_PROPERTY(decides) {
  int order[4] = {0, 1, 2, 3};
  rff_turn("turn");
  rff_shuffle(order, 4, sizeof *order);
  rff_check(rff_choose(3) == 0 && order[0] == 0 && order[1] == 1 && order[2] == 2);
}
