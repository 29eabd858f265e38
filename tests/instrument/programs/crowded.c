// A function in which calls stand so close that there is no room for the jumps between them, with
// ordinary code around.
#include <stdio.h>

long cells[8] = {1, 2, 3, 4, 5, 6, 7, 8};
long steps;

__attribute__((used)) void Step(const long* cell) { steps = steps * 3 + *cell; }

long Crowded(long* first);
__asm__(
    ".text\n"
    ".type Crowded, @function\n"
    "Crowded:\n"
    ".cfi_startproc\n"
    "  push %rbx\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset 3, -16\n"
    "  lea 8(%rdi), %rax\n"
    "  mov %rax, pointer(%rip)\n"
    "  lea pointer(%rip), %rbx\n"
    "  mov (%rbx), %rdi\n"
    "  .rept 60\n"
    "  call Step\n"
    "  mov (%rbx), %rdi\n"
    "  .endr\n"
    "  mov 16(%rdi), %rax\n"
    "  add %rax, 24(%rdi)\n"
    "  mov 24(%rdi), %rax\n"
    "  pop %rbx\n"
    "  .cfi_def_cfa_offset 8\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size Crowded, . - Crowded\n"
    ".local pointer\n"
    ".comm pointer, 8, 8\n");

int main(void) {
  long last = 0;
  for (int i = 0; i < 3; i++) last = Crowded(cells);
  printf("%ld %ld\n", last, steps);
  return 0;
}
