// Writes the values that it draws and what three callbacks in any order make of them.
#include <fcntl.h>
#include <rff/property.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RFF_PROPERTY(all_pairs) {
  int a = rff_int(0, 3), b = rff_int(0, 3), x = a;
  int order[3] = {0, 1, 2};
  rff_shuffle(order, 3, sizeof order[0]);
  for (int i = 0; i < 3; i++) {
    rff_turn("callback");
    x = order[i] == 0 ? x + b : order[i] == 1 ? x * 2 : x - 1;
  }
  char line[64];
  snprintf(line, sizeof line, "%d %d %d\n", a, b, x);
  int file = open(getenv("STATES_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  rff_check(write(file, line, strlen(line)) > 0);
  close(file);
}
