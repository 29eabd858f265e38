#include "libsched/process/one_processor.h"

#include <sys/syscall.h>

#include <cstdlib>

#include "libsched/support/real.h"

namespace rff {

void stay_on_one_processor(const std::string& wanted) {
  unsigned long mask[16] = {};
  long n = real::syscall6(SYS_sched_getaffinity, 0, sizeof mask, reinterpret_cast<long>(mask));
  if (n <= 0) {
    return;
  }
  unsigned cpu = 0;
  real::syscall6(SYS_getcpu, reinterpret_cast<long>(&cpu), 0, 0);
  if (!wanted.empty()) {
    auto number = static_cast<unsigned>(std::atoi(wanted.c_str()));
    bool usable = number < sizeof mask * 8 && ((mask[number / 64] >> (number % 64)) & 1) != 0;
    cpu = usable ? number : cpu;
  }
  if (cpu >= sizeof mask * 8 || ((mask[cpu / 64] >> (cpu % 64)) & 1) == 0) {
    return;
  }
  unsigned long one[16] = {};
  one[cpu / 64] = 1UL << (cpu % 64);
  real::syscall6(SYS_sched_setaffinity, 0, sizeof one, reinterpret_cast<long>(one));
}

}  // namespace rff
