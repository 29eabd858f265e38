// Registers, flags and the red zone are after an access what they were before, whether the word is
// the thread's own or shared.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

// access(word, flags) sets every register to its own pattern, executes one access to the word and
// calls `compare` with what the registers are then.
#define FUNCTION(name, access)                                                                   \
  void name(uint64_t* word, uint64_t flags);                                                     \
  __asm__(".pushsection .text\n.type " #name ", @function\n" #name                               \
          ":\n.cfi_startproc\n"                                                                  \
          "pushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"             \
          "movq %rdi, %r15\n"                                                                    \
          "movabsq $0x0e0e0e0e0e0e0e0e, %r14\n"                                                  \
          "movq %r14, -8(%rsp)\nmovq %r14, -128(%rsp)\n"                                         \
          "movq %rsi, -16(%rsp)\nleaq -16(%rsp), %rsp\npopfq\nleaq 8(%rsp), %rsp\n"              \
          "movabsq $0x0101010101010101, %rax\nmovabsq $0x0202020202020202, %rcx\n"               \
          "movabsq $0x0303030303030303, %rdx\nmovabsq $0x0404040404040404, %rbx\n"               \
          "movabsq $0x0505050505050505, %rbp\nmovabsq $0x0606060606060606, %rsi\n"               \
          "movabsq $0x0707070707070707, %rdi\nmovabsq $0x0808080808080808, %r8\n"                \
          "movabsq $0x0909090909090909, %r9\nmovabsq $0x0a0a0a0a0a0a0a0a, %r10\n"                \
          "movabsq $0x0b0b0b0b0b0b0b0b, %r11\nmovabsq $0x0c0c0c0c0c0c0c0c, %r12\n"               \
          "movabsq $0x0d0d0d0d0d0d0d0d, %r13\n" access                                           \
          "\nmovq -128(%rsp), %r13\nmovq -8(%rsp), %r12\n"                                       \
          "pushfq\ncld\n"                                                                        \
          "pushq %r14\npushq %r13\npushq %r12\npushq %r11\npushq %r10\npushq %r9\npushq %r8\n"   \
          "pushq %rdi\npushq %rsi\npushq %rbp\npushq %rbx\npushq %rdx\npushq %rcx\npushq %rax\n" \
          "movq %rsp, %rdi\nmovq %rsp, %rbx\nandq $-16, %rsp\ncall compare\nmovq %rbx, %rsp\n"   \
          "addq $120, %rsp\n"                                                                    \
          "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\nret\n"              \
          ".cfi_endproc\n.size " #name ", . - " #name "\n.popsection\n")

FUNCTION(read_word, "movq (%r15), %r14");
FUNCTION(write_word, "movq %r14, (%r15)");
FUNCTION(exchange_word, "xchgq %r14, (%r15)");
FUNCTION(write_byte, "movb %r14b, 3(%r15)");
FUNCTION(read_across, "movl 6(%r15), %r14d\nmovabsq $0x0e0e0e0e0e0e0e0e, %r14");

static __thread uint64_t expected_flags;

__attribute__((used)) void compare(const uint64_t* saved) {
  for (uint64_t i = 1; i <= 14; i++) {
    uint64_t expected = 0x0101010101010101 * (i == 12 || i == 13 ? 14 : i);
    if (saved[i - 1] != expected) abort();
  }
  const uint64_t seen = 0xcd5;  // CF PF AF ZF SF DF OF
  if ((saved[14] & seen) != expected_flags) abort();
}

static void all_accesses(uint64_t* words, uint64_t step) {
  void (*accesses[])(uint64_t*, uint64_t) = {write_word, read_word,  exchange_word, write_byte,
                                             read_word,  write_word, read_across,   read_word};
  const uint64_t bits[] = {0x1, 0x4, 0x10, 0x40, 0x80, 0x400, 0x800};
  for (uint64_t combination = 0; combination < 128; combination += step) {
    expected_flags = 0;
    for (int i = 0; i < 7; i++)
      if ((combination >> i & 1) != 0) expected_flags |= bits[i];
    for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++)
      accesses[i](words, expected_flags | 0x202);
  }
}

static uint64_t shared[2];

static void* work(void* unused) {
  uint64_t own[2];
  memset(own, 0x0e, sizeof own);
  all_accesses(own, 1);
  all_accesses(shared, 43);
  return unused;
}

int main(void) {
  memset(shared, 0x0e, sizeof shared);
  pthread_t a = start(work), b = start(work);
  finish(a);
  finish(b);
  return 0;
}
