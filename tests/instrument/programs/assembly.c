// Hand-written functions without names and unwind information, known by their addresses alone.
#include <stdio.h>

int cell = 1;

__asm__(
    ".text\n"
    ".p2align 4\n"
    ".Ladd: addl %edi, cell(%rip)\n"
    "movl cell(%rip), %eax\n"
    "ret\n"
    ".p2align 4\n"
    ".Lmultiply: imull cell(%rip), %edi\n"
    "movl %edi, cell(%rip)\n"
    "movl %edi, %eax\n"
    "ret\n"
    // Nobody knows of this one.
    ".p2align 4\n"
    "movl cell(%rip), %eax\n"
    "subl %edi, cell(%rip)\n"
    "ret\n"
    // Jumps to one of four places, eight bytes apart, of which only the first can be seen.
    ".p2align 4\n"
    ".Lchoose: leaq 1f(%rip), %rdx\n"
    "andl $3, %edi\n"
    "leaq (%rdx,%rdi,8), %rdx\n"
    "jmp *%rdx\n"
    ".p2align 3\n"
    "1: addl $3, cell(%rip)\n"
    "ret\n"
    "subl $5, cell(%rip)\n"
    "ret\n"
    "xorl $7, cell(%rip)\n"
    "ret\n"
    "addl $9, cell(%rip)\n"
    "ret\n"
    ".p2align 4\n"
    ".section .data.rel.ro\n"
    "functions: .quad .Ladd, .Lmultiply, .Lchoose\n"
    ".text\n");
extern int (*const functions[3])(int) __attribute__((visibility("hidden")));

int main(void) {
  for (int i = 0; i < 24; i++) {
    functions[i % 3](i / 3 + 2);
    printf("%d\n", cell);
  }
  return 0;
}
