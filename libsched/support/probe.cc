#include "libsched/support/words.h"

extern "C" {
extern const char rff_probe_load[];
extern const char rff_probe_loads[];
extern const char rff_probe_failed[];
bool rff_probe(std::uint64_t address, std::uint64_t* value);
// Addresses of loads that may fault and where to continue then, each relative to itself.
struct RffLoad {
  std::int32_t load, resume;
};
extern const RffLoad __start_rff_loads[] __attribute__((weak, visibility("hidden")));
extern const RffLoad __stop_rff_loads[] __attribute__((weak, visibility("hidden")));
bool rff_probe_words(std::uint64_t address, std::uint64_t count, std::uint64_t* hash,
                     std::uint64_t factor);
}

asm(R"(
  .text
  .hidden rff_probe
  .hidden rff_probe_words
  .hidden rff_probe_load
  .hidden rff_probe_loads
  .hidden rff_probe_failed
  .globl rff_probe, rff_probe_words, rff_probe_load, rff_probe_loads, rff_probe_failed
  .type rff_probe, @function
rff_probe:
  .cfi_startproc
rff_probe_load:
  movq (%rdi), %rax
  movq %rax, (%rsi)
  movl $1, %eax
  ret
rff_probe_failed:
  xorl %eax, %eax
  ret
  .cfi_endproc
  .size rff_probe, . - rff_probe

  .type rff_probe_words, @function
rff_probe_words:
  .cfi_startproc
  movq (%rdx), %rax
1:
  imulq %rcx, %rax
rff_probe_loads:
  addq (%rdi), %rax
  addq $8, %rdi
  decq %rsi
  jnz 1b
  movq %rax, (%rdx)
  movl $1, %eax
  ret
  .cfi_endproc
  .size rff_probe_words, . - rff_probe_words
)");

namespace rff {

bool probe_word(std::uint64_t word, std::uint64_t* value) { return rff_probe(word, value); }

bool probe_words(std::uint64_t first, std::uint64_t count, std::uint64_t* hash) {
  return rff_probe_words(first, count, hash, kWordFactor);
}

bool probe_fault(std::uint64_t rip, std::uint64_t* resume) {
  auto place = [](const std::int32_t& offset) {
    return reinterpret_cast<std::uint64_t>(&offset) +
           static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
  };
  for (const RffLoad* l = __start_rff_loads; l != __stop_rff_loads; ++l) {
    if (place(l->load) == rip) {
      *resume = place(l->resume);
      return true;
    }
  }
  if (rip != reinterpret_cast<std::uint64_t>(rff_probe_load) &&
      rip != reinterpret_cast<std::uint64_t>(rff_probe_loads)) {
    return false;
  }
  *resume = reinterpret_cast<std::uint64_t>(rff_probe_failed);
  return true;
}

}  // namespace rff
