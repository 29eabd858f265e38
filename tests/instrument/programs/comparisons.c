// Comparisons of every form between labels, each with operands of its own. Prints what the program
// decided by them.
#include <stdint.h>
#include <stdio.h>

uint64_t cells[4] = {0x1122334455667788, 0x0807060504030201, 0x99, 0};
uint64_t decided;

#define DECIDE "setb %%r11b\nmovzbl %%r11b, %%r11d\nlea (%%r11, %%r12, 2), %%r12\n"

__attribute__((noinline, noclone)) static void compare(uint64_t a, uint64_t b) {
  __asm__ volatile(
      "xorl %%r12d, %%r12d\n"
      "movq %[a], %%rdi\n"
      "movq %[b], %%rsi\n"
      "movq %[a], %%rax\n"
      "movq %[b], %%rcx\n"
      "leaq cells(%%rip), %%r13\n"
      "movl $1, %%r14d\n"
      ".globl first_comparison\nfirst_comparison:\n"
      "cmpq %%rsi, %%rdi\n" DECIDE               // registers that the hook uses itself
      "cmpl %%edi, %%esi\n" DECIDE               // the same, the other way round
      "cmpw %%cx, %%ax\n" DECIDE                 //
      "cmpb %%cl, %%al\n" DECIDE                 //
      "cmpb %%ch, %%ah\n" DECIDE                 // high bytes
      "cmpb $0x7f, %%ah\n" DECIDE                //
      "cmpq $-2, %%rax\n" DECIDE                 // an immediate that is extended
      "cmpl $77, cells+8(%%rip)\n" DECIDE        // memory and immediate
      "cmpq cells(%%rip), %%rax\n" DECIDE        // register and memory
      "cmpq %%rax, (%%r13)\n" DECIDE             // memory and register
      "cmpb %%sil, 8(%%r13, %%r14, 8)\n" DECIDE  //
      "movq %%rcx, -16(%%rsp)\n"
      "cmpq %%rax, -16(%%rsp)\n" DECIDE  // in the red zone
      "movq %%rsi, %%r8\n"
      "leaq (%%r13), %%rdi\n"
      "cmpq %%r8, 8(%%rdi)\n" DECIDE  // through a register that the hook uses
      "testl %%eax, %%eax\n" DECIDE   // with zero
      "testb $4, %%al\n" DECIDE       //
      "subl %%eax, %%ecx\n"
      "jb 1f\n"
      "incq %%r12\n"
      "1:\n"
      "subl $5, %%ecx\n"  // no jump follows, so this is no comparison
      "addl %%ecx, %%ecx\n"
      ".globl last_comparison\nlast_comparison:\n"
      "movq %%r12, %[decided]\n"
      : [decided] "=m"(decided)
      : [a] "r"(a), [b] "r"(b)
      : "rax", "rcx", "rsi", "rdi", "r8", "r11", "r12", "r13", "r14", "cc", "memory");
}

int main(void) {
  compare(0x0123456789abcdef, 0xfedcba9876543210);
  printf("%llx\n", (unsigned long long)decided);
  return 0;
}
