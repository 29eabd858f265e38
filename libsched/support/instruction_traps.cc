#include "libsched/support/instruction_traps.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff::instruction_traps {
namespace {

// Defined in <asm/prctl.h>, but not on older systems.
constexpr long kSetProcessorQueries = 0x1012;  // ARCH_CPUID
constexpr long kFault = 0, kAllow = 1;

bool trapping = false;
bool processor_traps = false;  // not every processor can

void set_timestamps(long how) { real::syscall6(SYS_prctl, PR_SET_TSC, how); }
bool set_processor_queries(long how) {
  return real::syscall6(SYS_arch_prctl, kSetProcessorQueries, how) == 0;
}

}  // namespace

void begin() {
  trapping = true;
  set_timestamps(PR_TSC_SIGSEGV);
  processor_traps = set_processor_queries(kFault);
}

void end() {
  if (trapping) {
    trapping = false;
    set_timestamps(PR_TSC_ENABLE);
    if (processor_traps) {
      set_processor_queries(kAllow);
    }
  }
}

Query query_at(std::uint64_t rip, unsigned* length) {
  std::uint64_t word = 0;
  std::uint64_t next = 0;
  std::uint64_t at = word_of(rip);
  if (!probe_word(at, &word)) {
    return Query::kNone;
  }
  unsigned shift = static_cast<unsigned>(rip - at) * 8;
  probe_word(at + kWordBytes, &next);
  std::uint64_t bytes = word >> shift | (shift == 0 ? 0 : next << (64 - shift));
  *length = 2;
  if ((bytes & 0xffff) == 0xa20f) {
    return Query::kProcessor;
  }
  if ((bytes & 0xffff) == 0x310f) {
    return Query::kTimestamp;
  }
  *length = 3;
  return (bytes & 0xffffff) == 0xf9010f ? Query::kTimestampAndProcessor : Query::kNone;
}

void execute_cpuid(std::uint32_t* a, std::uint32_t* b, std::uint32_t* c, std::uint32_t* d) {
  if (processor_traps) {
    set_processor_queries(kAllow);
  }
  asm volatile("cpuid" : "+a"(*a), "=b"(*b), "+c"(*c), "=d"(*d));
  if (processor_traps && trapping) {
    set_processor_queries(kFault);
  }
}

Suspended::Suspended() : before_(trapping) { end(); }

Suspended::~Suspended() {
  if (before_) {
    begin();
  }
}

}  // namespace rff::instruction_traps
