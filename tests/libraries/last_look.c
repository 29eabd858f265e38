/* A library that looks at a number of its user when the program ends. */
#include <assert.h>
#include <stddef.h>

static const int* number;
static int expected;

void look_at_the_end(const int* address, int value) {
  number = address;
  expected = value;
}

__attribute__((destructor)) static void look(void) {
  assert(number == NULL || *number == expected);
}
