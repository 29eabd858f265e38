// 256-bit gathers and masked accesses, to be checked against a known list.
#include <stdint.h>
#include <stdio.h>

__attribute__((aligned(64))) uint32_t cells[64];

int main(void) {
  if (!__builtin_cpu_supports("avx2")) {
    puts("no AVX2");
    return 0;
  }
  for (uint32_t i = 0; i < 64; i++) cells[i] = i;
  int32_t index[8] = {0, 7, 14, 21, 28, 35, 42, 49};
  int32_t mask[8] = {-1, -1, 0, -1, 0, -1, 0, -1};
  int64_t wide[4] = {5, 10, 15, 20};
  int64_t wide_mask[4] = {-1, 0, -1, -1};
  uint32_t out[8];
  __asm__ volatile(
      "vmovdqu (%0), %%ymm8\n vmovdqu (%1), %%ymm15\n vpxor %%ymm3, %%ymm3, %%ymm3\n"
      "vpgatherdd %%ymm15, (%2,%%ymm8,4), %%ymm3\n vmovdqu %%ymm3, (%3)\n"
      "vmovdqu (%4), %%ymm1\n vmovdqu (%5), %%ymm2\n vpgatherqq %%ymm2, 8(%2,%%ymm1,8), %%ymm3\n"
      "vmovdqu (%1), %%ymm14\n vpmaskmovd (%2), %%ymm14, %%ymm3\n vmaskmovps %%ymm3, %%ymm14, "
      "128(%2)\n" ::"r"(index),
      "r"(mask), "r"(cells), "r"(out), "r"(wide), "r"(wide_mask)
      : "xmm1", "xmm2", "xmm3", "xmm8", "xmm14", "xmm15", "memory");
  for (int i = 0; i < 8; i++) printf("%u ", out[i]);
  puts("");
  return 0;
}
