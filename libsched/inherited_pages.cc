#include "libsched/inherited_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>

#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::uint64_t kPage = 4096;
// Copying the page table of a larger one costs more than the faults.
constexpr std::uint64_t kLargest = 512 << 10;

// Writes a byte of the mapping as it is: the page becomes the process's own. Where a system forbids
// that, nothing is lost but speed.
void own_a_page(std::uint64_t low, std::uint64_t high, int protection) {
  auto at = static_cast<long>(low);
  auto bytes = static_cast<long>(high - low);
  if (real::syscall6(SYS_mprotect, at, bytes, protection | PROT_WRITE) != 0) {
    return;
  }
  asm volatile("lock orb $0, (%0)" : : "r"(low) : "memory");
  real::syscall6(SYS_mprotect, at, bytes, protection);
}

int visit(dl_phdr_info* module, std::size_t, void*) {
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || segment.p_memsz == 0 ||
        segment.p_memsz > kLargest) {
      continue;
    }
    std::uint64_t low = module->dlpi_addr + segment.p_vaddr;
    std::uint64_t high = (low + segment.p_memsz + kPage - 1) & ~(kPage - 1);
    own_a_page(low & ~(kPage - 1), high,
               PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0));
  }
  return 0;
}

}  // namespace

void let_children_inherit_code() { dl_iterate_phdr(visit, nullptr); }

}  // namespace rff
