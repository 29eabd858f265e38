// Accesses between instructions that set flags and instructions that look at them, in every way
// there is; and some where nobody looks. Prints what was seen.
#include <stdint.h>
#include <stdio.h>

static uint32_t cell = 5;
static uint32_t other = 7;
static uint8_t bytes[64];
static uint64_t seen = 14695981039346656037U;

static void See(uint64_t value) { seen = (seen ^ value) * 1099511628211U; }

// `cmp a, b`, an access, `body`, which leaves something in rax.
#define AFTER_COMPARE(body)                                                      \
  do {                                                                           \
    uint64_t out;                                                                \
    __asm__ volatile(                                                            \
        "xorl %%eax, %%eax\n"                                                    \
        "cmpl %[b], %[a]\n"                                                      \
        "movl %[cell], %%r8d\n" body                                             \
        : "=&a"(out), [cell] "+m"(cell), [other] "+m"(other)                     \
        : [a] "r"(a), [b] "r"(b), [bytes] "r"(bytes)                             \
        : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory"); \
    See(out);                                                                    \
  } while (0)

#define CONDITION(c)                            \
  AFTER_COMPARE("set" c " %%al\n");             \
  AFTER_COMPARE("cmov" c " %%r8d, %%eax\n");    \
  AFTER_COMPARE("j" c " 1f\nincl %%eax\n1:\n"); \
  AFTER_COMPARE("movl %%r8d, %[other]\nset" c   \
                " %[other]\n"                   \
                "movl %[other], %%eax\n")

__attribute__((noinline)) static void Conditions(uint32_t a, uint32_t b) {
  CONDITION("o");
  CONDITION("no");
  CONDITION("b");
  CONDITION("ae");
  CONDITION("e");
  CONDITION("ne");
  CONDITION("be");
  CONDITION("a");
  CONDITION("s");
  CONDITION("ns");
  CONDITION("p");
  CONDITION("np");
  CONDITION("l");
  CONDITION("ge");
  CONDITION("le");
  CONDITION("g");
}

// Below the red zone.
#define PUSH_FLAGS            \
  "leaq -128(%%rsp), %%rsp\n" \
  "pushfq\npopq %%rax\n"      \
  "leaq 128(%%rsp), %%rsp\n"  \
  "andl $0x8d5, %%eax\n"

__attribute__((noinline)) static void WholeRegister(uint32_t a, uint32_t b) {
  AFTER_COMPARE(PUSH_FLAGS);
  AFTER_COMPARE("lahf\n");
  AFTER_COMPARE("cmc\nmovl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE("stc\nmovl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE("movl $39, %%eax\nsyscall\nmovl %%r11d, %%eax\nandl $0x8d5, %%eax\n");
  // Some flags change, the others must stay.
  AFTER_COMPARE("movl %[other], %%r9d\nincl %[other]\n" PUSH_FLAGS);
  AFTER_COMPARE("movl %[other], %%r9d\ndecl %%r9d\nmovl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE("movl %[other], %%r9d\nbtl $2, %[other]\nsetc %%al\nsete %%ah\n");
  AFTER_COMPARE("movl %[other], %%r9d\nroll $3, %%r9d\nsete %%al\nsets %%ah\n");
  // Nothing changes.
  AFTER_COMPARE(
      "xorq $-1, %%r8\ncmpl %[b], %[a]\nmovl %[other], %%r9d\nnotl %%r9d\n"
      "leal 4(%%r9), %%r9d\nbswap %%r9d\nmovzbl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE("movl $0, %%ecx\nshll %%cl, %%r9d\nmovl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE(
      "movl $0, %%ecx\nmovq %[bytes], %%rdi\nmovl %[other], %%r9d\nrepne scasb\n" PUSH_FLAGS);
  AFTER_COMPARE(
      "movl $0, %%ecx\nmovq %[bytes], %%rdi\nmovq %%rdi, %%rsi\nmovl %[other], %%r9d\n"
      "repe cmpsb\n" PUSH_FLAGS);
  AFTER_COMPARE("movl %%r8d, %[other]\nmovd %[other], %%xmm0\npaddd %%xmm0, %%xmm0\n" PUSH_FLAGS);
}

__attribute__((noinline)) static void Carries(uint32_t a, uint32_t b) {
  AFTER_COMPARE(
      "adcl %[other], %%eax\nmovl %[other], %%r9d\nadcl %%r9d, %%eax\n"
      "movl %%eax, %[other]\nsbbl %%eax, %%eax\n");
  AFTER_COMPARE("sbbl %%eax, %[other]\nmovl %[other], %%eax\n");
  AFTER_COMPARE(
      "rcll $1, %[other]\nmovl %[other], %%eax\nrcrl $1, %%eax\n"
      "movl %%eax, %[other]\nadcl $0, %%eax\n");
  AFTER_COMPARE("rcrb $1, %[other]\nmovl %[other], %%eax\nrcll $9, %%eax\n");
  // A long addition, its carry kept over the counting of the loop.
  AFTER_COMPARE(
      "movl $8, %%ecx\nmovq %[bytes], %%rdi\nclc\n"
      "1: movq (%%rdi), %%rax\nadcq %%rax, (%%rdi)\n"
      "leaq 8(%%rdi), %%rdi\ndecl %%ecx\njnz 1b\nsetc %%al\n");
  AFTER_COMPARE(
      "fld1\nfldz\nmovl %[other], %%r9d\nfcmove %%st(1), %%st\nfistpl %[other]\n"
      "fstp %%st\nmovl %[other], %%eax\n");
}

__attribute__((noinline)) static void Jumps(uint32_t a, uint32_t b) {
  AFTER_COMPARE("movl $3, %%ecx\n1: incq %%rax\ncmpl %[b], %[a]\nmovl %[other], %%r9d\nloope 1b\n");
  AFTER_COMPARE("movl $3, %%ecx\n1: movl %[other], %%r9d\nloop 1b\nsetl %%al\n");
  AFTER_COMPARE(
      "xorl %%ecx, %%ecx\ncmpl %[b], %[a]\nmovl %[other], %%r9d\njrcxz 1f\nud2\n1: setl %%al\n");
  // Into the middle, past what overwrites the flags.
  AFTER_COMPARE(
      "jmp 1f\n2: testl %%r8d, %%r8d\n1: movl %[other], %%r9d\nsetl %%al\n"
      "cmpl %%r9d, %%r9d\nincl %%edx\n");
  AFTER_COMPARE("movl %[other], %%r9d\njmp 1f\ntestl %%r8d, %%r8d\n1: setle %%al\n");
  AFTER_COMPARE(
      "movl %[other], %%r9d\nleaq 1f(%%rip), %%r10\nmovl %[other], %%r9d\n"
      "jmp *%%r10\nxorl %%r8d, %%r8d\n1: setl %%al\n");
  AFTER_COMPARE("movl %[other], %%r9d\njs 1f\ntestl %%r8d, %%r8d\n1: setb %%al\n");
  // In and out of a function.
  AFTER_COMPARE(
      "leaq -128(%%rsp), %%rsp\nmovl %[other], %%r9d\ncall 1f\ntestl %%r8d, %%r8d\n"
      "leaq 128(%%rsp), %%rsp\njmp 2f\n1: setb %%al\nret\n2:\n");
  AFTER_COMPARE(
      "leaq -128(%%rsp), %%rsp\nmovl %[other], %%r9d\ncall 1f\nmovl %[other], %%r9d\n"
      "setb %%ah\nleaq 128(%%rsp), %%rsp\njmp 2f\n"
      "1: setb %%al\nmovl %[other], %%r9d\ncmc\nmovl %[other], %%r9d\nret\n2:\n");
}

__attribute__((noinline)) static void Directions(uint32_t a, uint32_t b) {
  AFTER_COMPARE(
      "leaq 32(%[bytes]), %%rsi\nstd\nmovl %[other], %%r9d\nlodsb\nmovl %[other], %%r9d\n"
      "lodsb\ncld\nsetl %%ah\nlodsb\n");
  // Nobody looks at the other flags.
  AFTER_COMPARE(
      "leaq 40(%[bytes]), %%rdi\nstd\nmovl %[other], %%eax\naddl $3, %%eax\nstosb\n"
      "movl %[other], %%eax\nsubl $3, %%eax\nstosb\ncld\nmovq 32(%[bytes]), %%rax\n");
}

__attribute__((noinline)) static void NobodyLooks(uint32_t a, uint32_t b) {
  AFTER_COMPARE("movl %[other], %%r9d\naddl %%r9d, %%r8d\n" PUSH_FLAGS);
  AFTER_COMPARE("addl %[other], %%r8d\n" PUSH_FLAGS);
  AFTER_COMPARE("movl %[other], %%r9d\nsubl %[b], %[other]\nmovl %[other], %%r9d\n" PUSH_FLAGS);
  AFTER_COMPARE("testl %%r8d, %[other]\nmovl %[other], %%r9d\nsetg %%al\n");
  AFTER_COMPARE(
      "movl %[other], %%r9d\nincl %%r9d\nxorl %%r9d, %%r8d\nmovl %[other], %%r9d\nsets %%al\n");
  AFTER_COMPARE("lock xaddl %%r8d, %[other]\nmovl %[other], %%r9d\nseta %%al\n");
  AFTER_COMPARE("lock cmpxchgl %%r8d, %[other]\nmovl %[other], %%r9d\nsete %%al\n");
  AFTER_COMPARE("negl %[other]\nmovl %[other], %%r9d\nsetb %%al\nsete %%ah\n");
}

int main(void) {
  static const uint32_t values[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  enum { kValues = sizeof(values) / sizeof(values[0]) };
  for (unsigned i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)(i * 71 + 3);
  for (unsigned i = 0; i < kValues * kValues; i++) {
    uint32_t a = values[i / kValues];
    uint32_t b = values[i % kValues];
    Conditions(a, b);
    WholeRegister(a, b);
    Carries(a, b);
    Jumps(a, b);
    Directions(a, b);
    NobodyLooks(a, b);
    printf("%llx %x\n", (unsigned long long)seen, (unsigned)other);
  }
  return 0;
}
