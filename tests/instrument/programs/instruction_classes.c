// One use of every class of instruction that touches memory, with operands of every shape. Prints a
// checksum so that a register or flag the hook destroyed shows.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t data[64];
static uint8_t bytes[256];
static uint8_t more[256];
static uint32_t words[64];
static uint64_t sum;

#define MIX(x) (sum = (sum ^ (uint64_t)(x)) * 0x9e3779b97f4a7c15u)

static void Plain(void) {
  uint64_t a = 3, b = 5;
  for (int i = 0; i < 64; i++) data[i] = (uint64_t)i * 77;
  __asm__ volatile("mov 8(%1,%2,8), %0\n" : "=r"(a) : "r"(data), "r"(b));
  MIX(a);
  __asm__ volatile(
      "mov %0, 16(%1)\n movl $7, 24(%1)\n movb $9, 32(%1)\n movw $11, 40(%1)\n" ::"r"(a), "r"(data)
      : "memory");
  __asm__ volatile(
      "add %0, (%1)\n incl 8(%1)\n negq 16(%1)\n notb 24(%1)\n shlq $3, 40(%1)\n" ::"r"(a),
      "r"(data)
      : "memory", "cc");
  __asm__ volatile("movzbl 3(%1), %k0\n movsbq 5(%1), %0\n movslq 8(%1), %0\n"
                   : "=r"(a)
                   : "r"(data));
  MIX(a);
  __asm__ volatile("cmpq $5, 48(%1)\n sete %b0\n testb $1, 56(%1)\n" : "+r"(a) : "r"(data) : "cc");
  MIX(a);
  __asm__ volatile("cmovzq 64(%1), %0\n" : "+r"(a) : "r"(data));
  MIX(a);
  __asm__ volatile("setc 72(%0)\n movbe 80(%0), %%rax\n" ::"r"(data) : "rax", "memory");
}

static void RipRelativeAndAbsolute(void) {
  uint64_t a;
  __asm__ volatile("mov data+8(%%rip), %0\n incq data+16(%%rip)\n cmpl $3, data+24(%%rip)\n"
                   : "=r"(a)::"cc", "memory");
  MIX(a);
  __asm__ volatile("movl $0x12345678, data+40(%%rip)\n movb $1, data+48(%%rip)\n" ::: "memory");
}

static void StackShapes(void) {
  uint64_t a = 11;
  __asm__ volatile(
      "mov %0, -8(%%rsp)\n mov -8(%%rsp), %%rax\n add %%rax, -16(%%rsp)\n"
      "lea -256(%%rsp), %%rsp\n"
      "pushq 16(%%rsp)\n popq 24(%%rsp)\n pushq (%%rsp)\n popq (%%rsp)\n"
      "pushq data(%%rip)\n popq data+8(%%rip)\n"
      "lea 256(%%rsp), %%rsp\n" ::"r"(a)
      : "rax", "memory", "cc");
  __asm__ volatile(
      "push %%rbp\n mov %%rsp, %%rbp\n sub $64, %%rsp\n mov %%rax, -8(%%rbp)\n"
      "mov -8(%%rbp), %%rcx\n mov %%rcx, (%%rsp,%%rax,1)\n leave\n" ::"a"(8)
      : "rcx", "memory", "cc");
}

static void Atomics(void) {
  uint64_t a = 1, old;
  uint64_t pair[2] __attribute__((aligned(16))) = {1, 2};
  __asm__ volatile(
      "lock addq %0, (%1)\n lock xaddq %0, 8(%1)\n xchgq %0, 16(%1)\n lock incl 24(%1)\n"
      "lock btsq $3, 32(%1)\n lock orb $2, 40(%1)\n"
      : "+r"(a)
      : "r"(data)
      : "memory", "cc");
  MIX(a);
  data[5] = 50;
  __asm__ volatile("lock cmpxchgq %2, 40(%3)\n setz %b1\n"
                   : "=a"(old), "+r"(a)
                   : "r"(99UL), "r"(data), "0"(50UL)
                   : "cc", "memory");
  MIX(old);
  __asm__ volatile("lock cmpxchgq %2, 40(%3)\n setz %b1\n"
                   : "=a"(old), "+r"(a)
                   : "r"(77UL), "r"(data), "0"(51UL)
                   : "cc", "memory");
  MIX(old);
  __asm__ volatile("lock cmpxchgl %%ecx, data+48(%%rip)\n"
                   : "=a"(old)
                   : "c"(5), "0"(6)
                   : "cc", "memory");
  __asm__ volatile("cmpxchgb %%cl, 52(%1)\n"
                   : "=a"(old)
                   : "r"(data), "c"(5), "0"(6)
                   : "cc", "memory");
  for (int i = 0; i < 2; i++)
    __asm__ volatile("lock cmpxchg16b (%0)\n" ::"r"(pair), "a"(1UL), "d"(2UL), "b"(3UL), "c"(4UL)
                     : "cc", "memory");
  MIX(pair[0] + pair[1]);
  data[20] = 0x200000001;  // once equal to edx:eax, then not; the upper halves do not count
  for (int i = 0; i < 2; i++)
    __asm__ volatile("lock cmpxchg8b (%0)\n" ::"r"(data + 20), "a"(0x900000001), "d"(0x700000002),
                     "b"(3), "c"(4)
                     : "cc", "memory");
  MIX(data[20]);
}

static void Bits(void) {
  uint64_t offset = 200;
  __asm__ volatile(
      "btq %1, (%0)\n btsq %1, (%0)\n btrl %k1, 4(%0)\n btcw %w1, 8(%0)\n btq $5, (%0)\n" ::"r"(
          data + 10),
      "r"(offset)
      : "cc", "memory");
  __asm__ volatile("btsq %1, (%0)\n btsl %k1, (%0)\n btsw %w1, (%0)\n" ::"r"(data + 30), "r"(-200L)
                   : "cc", "memory");
  __asm__ volatile("lea data+80(%%rip), %%rsi\n mov $65, %%rdi\n btsq %%rdi, (%%rsi)\n" ::
                       : "rsi", "rdi", "cc", "memory");
}

static void Strings(void) {
  for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)(i * 7);
  const void* s = bytes;
  void* d = more;
  uint64_t n = 40;
  __asm__ volatile("rep movsb" : "+S"(s), "+D"(d), "+c"(n)::"memory");
  n = 5;
  __asm__ volatile("rep movsq" : "+S"(s), "+D"(d), "+c"(n)::"memory");
  n = 0;
  __asm__ volatile("rep movsl" : "+S"(s), "+D"(d), "+c"(n)::"memory");
  __asm__ volatile("movsb\n movsw\n movsl\n movsq\n" : "+S"(s), "+D"(d)::"memory");
  n = 3;
  __asm__ volatile("rep stosw" : "+D"(d), "+c"(n) : "a"(0x4142) : "memory");
  __asm__ volatile("stosb\n stosl\n" : "+D"(d) : "a"(0x4142) : "memory");
  uint64_t a = 0;
  __asm__ volatile("lodsq\n" : "=a"(a), "+S"(s)::"memory");
  MIX(a);
  n = 4;
  __asm__ volatile("rep lodsb\n" : "=a"(a), "+S"(s), "+c"(n)::"memory");
  // Backwards.
  s = bytes + 20;
  d = bytes + 24;
  n = 10;
  __asm__ volatile("std\n rep movsb\n movb $3, (%3)\n scasb\n cld\n"
                   : "+S"(s), "+D"(d), "+c"(n)
                   : "r"(more)
                   : "memory", "cc");
  memcpy(more, bytes, 64);
  more[33] ^= 1;
  s = bytes;
  d = more;
  n = 64;
  __asm__ volatile("repe cmpsb\n" : "+S"(s), "+D"(d), "+c"(n)::"memory", "cc");
  MIX(n);
  n = 3;
  __asm__ volatile("repe cmpsl\n cmpsw\n" : "+S"(s), "+D"(d), "+c"(n)::"memory", "cc");
  MIX(n);
  d = bytes;
  n = 200;
  __asm__ volatile("repne scasb\n" : "+D"(d), "+c"(n) : "a"(bytes[50]) : "memory", "cc");
  MIX(n);
  n = 0;
  __asm__ volatile("xor %%eax, %%eax\n repne scasb\n repe scasl\n"
                   : "+D"(d), "+c"(n)::"rax", "memory", "cc");
}

static void Vectors(void) {
  float f[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 64; i++) words[i] = (uint32_t)i * 3;
  __asm__ volatile(
      "movups (%0), %%xmm1\n movaps (%1), %%xmm2\n addps (%1), %%xmm1\n movups %%xmm1, 16(%0)\n"
      "movss 4(%0), %%xmm3\n movsd 8(%0), %%xmm4\n movsd %%xmm4, (%0)\n movhps (%0), %%xmm4\n "
      "movlps %%xmm4, 8(%0)\n"
      "movq %%xmm1, (%0)\n movd 12(%0), %%xmm5\n cvtsi2sdl (%0), %%xmm6\n pinsrw $3, (%0), "
      "%%xmm6\n pextrb $2, %%xmm6, 3(%0)\n"
      "movntdq %%xmm1, (%1)\n movnti %3, (%1)\n ldmxcsr (%2)\n stmxcsr (%2)\n" ::"r"(f),
      "r"(bytes + 16 - ((uintptr_t)bytes & 15)), "r"(&(uint32_t){0x1f80}), "r"(5UL)
      : "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "memory");
  MIX((uint64_t)f[5]);
  uint8_t mask[16] = {0x80, 0, 0, 0x80, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0x80};
  __asm__ volatile(
      "movdqu (%0), %%xmm1\n movdqu (%1), %%xmm2\n mov %2, %%rdi\n maskmovdqu %%xmm2, %%xmm1\n" ::
          "r"(bytes),
      "r"(mask), "r"(more)
      : "rdi", "xmm1", "xmm2", "memory");
  __asm__ volatile(
      "fldl (%0)\n fstpl 8(%0)\n fildl (%0)\n fistpll 16(%0)\n fldcw (%1)\n fnstcw (%1)\n fldt "
      "(%2)\n fstpt (%2)\n" ::"r"(data),
      "r"(&(uint16_t){0x37f}), "r"(bytes)
      : "memory");
  __asm__ volatile("fxsave (%0)\n fxrstor (%0)\n" ::"r"(((uintptr_t)malloc(1024) + 63) & ~63UL)
                   : "memory");
}

static void Avx(void) {
  if (!__builtin_cpu_supports("avx2")) return;
  uint32_t index[4] = {1, 9, (uint32_t)-2, 30};
  uint64_t index8[2] = {3, 60};
  int32_t mask[4] = {-1, 0, -1, -1};
  int64_t mask8[2] = {-1, 0};
  uint32_t out[4];
  __asm__ volatile(
      "vmovdqu (%0), %%xmm9\n vmovdqu (%1), %%xmm2\n vpxor %%xmm3, %%xmm3, %%xmm3\n vpgatherdd "
      "%%xmm2, 8(%2,%%xmm9,4), %%xmm3\n vmovdqu %%xmm3, (%3)\n" ::"r"(index),
      "r"(mask), "r"(words), "r"(out)
      : "xmm9", "xmm2", "xmm3", "memory");
  MIX(out[3]);
  __asm__ volatile(
      "vmovdqu (%0), %%xmm9\n vmovdqu (%1), %%xmm12\n vpgatherdq %%xmm12, (%2,%%xmm9,1), "
      "%%xmm3\n" ::"r"(index),
      "r"(mask8), "r"(words)
      : "xmm9", "xmm12", "xmm3", "memory");
  __asm__ volatile(
      "vmovdqu (%0), %%xmm1\n vmovdqu (%1), %%xmm2\n vpgatherqq %%xmm2, (%2,%%xmm1,4), %%xmm3\n" ::
          "r"(index8),
      "r"(mask8), "r"(words)
      : "xmm1", "xmm2", "xmm3", "memory");
  __asm__ volatile(
      "vmovdqu (%0), %%xmm1\n vmovdqu (%1), %%xmm2\n vgatherqps %%xmm2, (%2,%%xmm1,2), %%xmm3\n" ::
          "r"(index8),
      "r"(mask), "r"(words)
      : "xmm1", "xmm2", "xmm3", "memory");
  __asm__ volatile(
      "vmovdqu (%0), %%xmm11\n vpmaskmovd (%1), %%xmm11, %%xmm3\n vmaskmovps %%xmm3, %%xmm11, "
      "16(%1)\n vmovdqu (%2), %%xmm4\n vmaskmovpd 8(%1), %%xmm4, %%xmm5\n vpmaskmovq %%xmm5, "
      "%%xmm4, words+64(%%rip)\n" ::"r"(mask),
      "r"(words), "r"(mask8)
      : "xmm11", "xmm3", "xmm4", "xmm5", "memory");
  __asm__ volatile(
      "vmovdqu (%0), %%ymm1\n vpaddd 32(%0), %%ymm1, %%ymm2\n vmovdqu %%ymm2, 64(%0)\n "
      "vbroadcastss (%0), %%ymm3\n vextracti128 $1, %%ymm2, (%0)\n vzeroupper\n" ::"r"(words)
      : "xmm1", "xmm2", "xmm3", "memory");
  for (int i = 0; i < 64; i++) MIX(words[i]);
}

static long Seven(long x) { return x + 7; }
static long (*table[4])(long) = {Seven, Seven, Seven, Seven};

static void Indirect(void) {
  long r;
  __asm__ volatile("mov $1, %%edi\n call *table+8(%%rip)\n"
                   : "=a"(r)::"rdi", "rsi", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
  MIX(r);
  volatile int i = 2;
  MIX(table[i](5) + table[i](6));
  __asm__ volatile(
      "lea 1f(%%rip), %%rax\n mov %%rax, data(%%rip)\n jmp *data(%%rip)\n ud2\n 1:\n" ::
          : "rax", "memory");
  data[0] = 0;
}

static void Others(void) {
  uint64_t a = 0;
  __asm__ volatile("syscall" : "=a"(a) : "0"(39) : "rcx", "r11", "memory");
  MIX(a != 0);
  __asm__ volatile("rdtsc\n" : "=a"(a)::"rdx");
  __asm__ volatile("lea bytes(%%rip), %%rbx\n mov $200, %%eax\n xlatb\n" : "=a"(a)::"rbx");
  MIX(a);
  __asm__ volatile("prefetcht0 (%0)\n nopw 5(%0)\n clflush (%0)\n" ::"r"(data));
  __asm__ volatile("mov %%fs:0, %0\n" : "=r"(a));
  __asm__ volatile("mov $3, %%ecx\n 1: addl $1, data(%%rip)\n loop 1b\n jrcxz 2f\n ud2\n 2:\n" ::
                       : "rcx", "memory", "cc");
  __asm__ volatile("enter $16, $0\n leave\n" ::: "memory");
}

// Every flag must survive the hook. The trap flag stays as it is: a debugger may be stepping.
static void Flags(void) {
  uint64_t now;
  __asm__ volatile("pushfq\n popq %0\n" : "=r"(now));
  for (unsigned v = 0; v < 256; v++) {
    uint64_t in = ((v & 0xd5) | 2) | ((v & 2) ? 0x800 : 0) | (now & 0x100), out;
    __asm__ volatile("pushq %1\n popfq\n mov %2, %%rcx\n mov %%rcx, 8+%2\n pushfq\n popq %0\n"
                     : "=r"(out)
                     : "r"(in), "m"(data[3])
                     : "rcx", "memory", "cc");
    MIX(out & 0x8d5);
  }
}

int main(void) {
  Plain();
  RipRelativeAndAbsolute();
  StackShapes();
  Atomics();
  Bits();
  Strings();
  Vectors();
  Avx();
  Indirect();
  Others();
  Flags();
  for (int i = 0; i < 64; i++) MIX(data[i]);
  for (int i = 0; i < 256; i++) MIX(bytes[i] + more[i]);
  printf("%016llx\n", (unsigned long long)sum);
  return 0;
}
