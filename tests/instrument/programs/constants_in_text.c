// A table of constants between functions, as hand-written assembly has it: decoded as code it would
// be full of accesses.
#include <stdio.h>

extern const unsigned char table[64];
__asm__(
    ".text\n"
    ".balign 16\n"
    ".byte 0x01, 0x02, 0x03, 0x04\n"  // nobody refers to these
    ".local table\n"
    "table:\n"
    ".rept 16\n"
    ".byte 0x06, 0x06, 0x01, 0x08\n"  // the first is no instruction
    ".endr\n"
    ".balign 16\n");

int main(void) {
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += table[i] * i;
  printf("%d\n", sum);
  return 0;
}
