// Computed gotos through tables of distances from a label: nothing in the file says which
// instructions they lead to.
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) static int Interpret(const unsigned char* code, int value) {
  static const int distances[] = {&&add - &&base, &&multiply - &&base, &&store - &&base,
                                  &&stop - &&base};
#define NEXT goto*(&&base + distances[*code++])
  NEXT;
base:
add:
  value += *code++;
  NEXT;
multiply:
  value *= *code++;
  NEXT;
store:
  // A table that can be found, in the same function.
  switch (value & 7) {
    case 0: sink++; break;
    case 1: sink -= value; break;
    case 2: sink ^= 3; break;
    case 3: sink *= 7; break;
    case 4: sink = 9; break;
    case 5: sink += value; break;
    case 6: value ^= sink; break;
    default: sink = 0;
  }
  NEXT;
stop:
  return value;
}

int main(void) {
  static const unsigned char code[] = {0, 5, 2, 1, 7, 2, 0, 1, 2, 1, 3, 2, 3};
  for (int i = 0; i < 30; i++) {
    int value = Interpret(code, i);
    printf("%d %d\n", value, sink);
  }
  return 0;
}
