// Jump tables (dense, sparse, in loops, nested) and computed gotos.
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) static int Dense(int x) {
  switch (x) {
    case 0: return 5;
    case 1: sink += 2; return 11;
    case 2: return printf("two\n");
    case 3: sink ^= 3; break;
    case 4: return (int)sink;
    case 5: return 55;
    case 6: sink = 0; break;
    case 7: return -7;
    case 9: return puts("nine");
    default: return -1;
  }
  return x * 3;
}

__attribute__((noinline)) static int Sparse(unsigned x) {
  switch (x) {
    case 1: return 3;
    case 100: return 5;
    case 1000: sink++; return 7;
    case 1001: return 8;
    case 1002: return 9;
    case 1003: sink--; return 10;
    case 1004: return 11;
    case 1006: return (int)sink;
    case 70000: return 13;
    default: return 0;
  }
}

__attribute__((noinline)) static int Unreachable(int x) {
  switch (x) {
    case 0: return (int)sink;
    case 1: return (int)sink + 1;
    case 2: sink = 4; return 2;
    case 4: sink = 9; return 6;
    case 5: return 1;
    case 6: return (int)sink * 2;
    default: __builtin_unreachable();
  }
}

__attribute__((noinline)) static long Interpret(const unsigned char* code, long value) {
  static const void* const labels[] = {&&add, &&sub, &&mul, &&store, &&load, &&stop};
  long memory[4] = {0};
#define NEXT goto* labels[*code++]
  NEXT;
add:
  value += *code++;
  NEXT;
sub:
  value -= *code++;
  NEXT;
mul:
  value *= *code++;
  NEXT;
store:
  memory[*code++ & 3] = value;
  NEXT;
load:
  value += memory[*code++ & 3];
  NEXT;
stop:
  return value;
}

__attribute__((noinline)) static int Nested(int a, int b) {
  int total = 0;
  for (int i = 0; i < a; i++) {
    switch (i & 7) {
      case 0: total += b; break;
      case 1:
        switch (b) {
          case 0: total++; continue;
          case 1: total += 2; break;
          case 2: sink++; break;
          case 3: total -= 4; break;
          case 4: return total;
          case 5: total ^= 9;
        }
        break;
      case 2: sink += (unsigned)total; break;
      case 3: total *= 3; break;
      case 4: total ^= 5; break;
      case 5: total -= (int)sink; break;
      case 6: continue;
    }
    total &= 0xffff;
  }
  return total;
}

int main(void) {
  long sum = 0;
  for (int i = -1; i < 12; i++) sum = sum * 7 + Dense(i);
  static const unsigned probes[] = {0,    1,    100,  1000, 1001,  1002,
                                    1003, 1004, 1005, 1006, 70000, 80000};
  for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) sum = sum * 7 + Sparse(probes[i]);
  for (int i = 0; i < 7; i++)
    if (i != 3) sum = sum * 7 + Unreachable(i);
  static const unsigned char code[] = {0, 5, 3, 1, 2, 7, 4, 1, 1, 2, 5};
  sum = sum * 7 + Interpret(code, 3);
  for (int b = 0; b < 7; b++) sum = sum * 7 + Nested(17, b);
  printf("%ld %u\n", sum, sink);
  return 0;
}
