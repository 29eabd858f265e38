/* A program with a main function of its own: that of the library is not linked. */
#include <stdio.h>

#include "rff/property.h"

RFF_PROPERTY(small) { rff_check(rff_int(0, 9) < 10); }

int main(int argc, char** argv) {
  printf("own main\n");
  return rff_main(argc, argv);
}
