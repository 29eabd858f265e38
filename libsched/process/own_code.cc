#include "libsched/process/own_code.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstring>

#include "libsched/support/real.h"

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

namespace rff {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;

struct CodeSpan {
  std::uint64_t begin = 0, end = 0;
};

// Returns the read-only part of the loaded library; empty unless it has the library's first huge
// page for itself.
CodeSpan own_code() {
  auto base = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  auto* segment = reinterpret_cast<const Elf64_Phdr*>(base + __ehdr_start.e_phoff);
  CodeSpan code;
  for (int i = 0; i < __ehdr_start.e_phnum; ++i, ++segment) {
    if (segment->p_type != PT_LOAD) {
      continue;
    }
    if (segment->p_vaddr == 0 && (segment->p_flags & PF_X) != 0) {
      code = {base, base + segment->p_memsz};
    } else if (segment->p_vaddr < kHugePage) {
      return {};
    }
  }
  return base % kHugePage == 0 && code.end - code.begin <= kHugePage ? code : CodeSpan{};
}

}  // namespace

void move_code_to_huge_page() {
  CodeSpan code = own_code();
  if (code.begin == code.end) {
    return;
  }
  long room = real::syscall6(SYS_mmap, 0, 2 * kHugePage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room < 0) {
    return;
  }
  auto begin = static_cast<std::uint64_t>(room);
  std::uint64_t copy = (begin + kHugePage - 1) & ~(kHugePage - 1);
  long protect = PROT_READ | PROT_EXEC;
  if (real::syscall6(SYS_madvise, static_cast<long>(copy), kHugePage, MADV_HUGEPAGE) == 0) {
    // The program gets no huge pages: they are enabled only during the copy.
    real::syscall6(SYS_prctl, PR_SET_THP_DISABLE, 0);
    std::memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(code.begin),
                code.end - code.begin);
    real::syscall6(SYS_prctl, PR_SET_THP_DISABLE, 1);
    if (real::syscall6(SYS_mprotect, static_cast<long>(copy), kHugePage, protect) == 0) {
      real::syscall6(SYS_mremap, static_cast<long>(copy), kHugePage, kHugePage,
                     MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(code.begin));
    }
  }
  real::syscall6(SYS_munmap, room, 2 * kHugePage);
}

}  // namespace rff
