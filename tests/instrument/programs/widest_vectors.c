// 512-bit gathers, scatters and masked accesses, to be checked against a known list.
#include <stdint.h>
#include <stdio.h>

__attribute__((aligned(64))) uint32_t cells[64];

__attribute__((target("avx512f,avx512bw"))) static void touch(const int32_t* near,
                                                              const int64_t* far) {
  __asm__ volatile(
      "vmovdqu32 (%0), %%zmm17\n vmovdqu64 (%1), %%zmm18\n vpxord %%zmm3, %%zmm3, %%zmm3\n"
      // Elements 0, 2 and 15 of sixteen.
      "mov $0x8005, %%eax\n kmovw %%eax, %%k1\n vpgatherdd (%2,%%zmm17,4), %%zmm3%{%%k1%}\n"
      // Elements 1 and 7 of eight.
      "mov $0x82, %%eax\n kmovw %%eax, %%k7\n vpscatterqq %%zmm3, 8(%2,%%zmm18,8)%{%%k7%}\n"
      // Bytes 0 and 63.
      "mov $0x8000000000000001, %%rax\n kmovq %%rax, %%k2\n vmovdqu8 64(%2), %%zmm20%{%%k2%}%{z%}\n"
      "vmovdqu8 %%zmm20, 128(%2)%{%%k2%}\n"
      // Three elements side by side.
      "mov $0x111, %%eax\n kmovw %%eax, %%k3\n vpcompressd %%zmm20, 4(%2)%{%%k3%}\n"
      "vzeroupper\n" ::"r"(near),
      "r"(far), "r"(cells)
      : "rax", "k1", "k2", "k3", "k7", "xmm3", "xmm17", "xmm18", "xmm20", "memory");
}

int main(void) {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) {
    puts("no AVX-512");
    return 0;
  }
  for (uint32_t i = 0; i < 64; i++) cells[i] = i;
  int32_t near[16];
  int64_t far[8];
  for (int i = 0; i < 16; i++) near[i] = 3 * i;
  for (int i = 0; i < 8; i++) far[i] = 30 - 4 * i;
  touch(near, far);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 64; i++) sum = sum * 31 + cells[i];
  printf("%u\n", sum);
  return 0;
}
