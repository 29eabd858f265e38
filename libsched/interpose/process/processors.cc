#include "libsched/interpose/process/processors.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"

namespace rff {
namespace {

constexpr unsigned kWordBits = 64;

bool allowed(const AllowedProcessors& set, unsigned processor) {
  return set.all || (set.words[processor / kWordBits] >> (processor % kWordBits) & 1) != 0;
}

template <typename Allowed>
std::string list_of(Allowed allowed) {
  std::string text;
  for (unsigned i = 0; i < processors(); ++i) {
    if (!allowed(i)) {
      continue;
    }
    unsigned last = i;
    while (last + 1 < processors() && allowed(last + 1)) {
      ++last;
    }
    text += (text.empty() ? "" : ",") + std::to_string(i);
    text += last > i ? "-" + std::to_string(last) : "";
    i = last;
  }
  return text;
}

// Groups of 32 processors, the highest first.
template <typename Allowed>
std::string mask_of(Allowed allowed) {
  constexpr unsigned kGroup = 32;
  std::string text;
  for (unsigned group = (processors() + kGroup - 1) / kGroup; group-- > 0;) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < kGroup && group * kGroup + i < processors(); ++i) {
      bits |= static_cast<std::uint32_t>(allowed(group * kGroup + i)) << i;
    }
    char digits[16];
    bool first = text.empty();
    // The first group has as many digits as its processors need.
    unsigned width = first ? ((processors() - 1) % kGroup) / 4 + 1 : 8;
    std::snprintf(digits, sizeof digits, "%s%0*x", first ? "" : ",", static_cast<int>(width), bits);
    text += digits;
  }
  return text;
}

auto those_of(const Thread& thread) {
  return [&thread](unsigned i) { return allowed(thread.posix->allowed, i); };
}

bool every(unsigned) { return true; }

Thread* own_thread(pid_t tid) {
  auto& threads = runtime->run.execution.threads();
  return tid == 0                    ? &runtime->run.execution.current()
         : identity::own_thread(tid) ? threads[static_cast<std::size_t>(tid - identity::kProcess)]
                                     : nullptr;
}

int result_of(int error) {
  if (error != 0) {
    errno = error;
  }
  return error == 0 ? 0 : -1;
}

}  // namespace

unsigned processors() { return runtime->process.processors; }

std::size_t processor_set_bytes() {
  return (processors() + kWordBits - 1) / kWordBits * sizeof(std::uint64_t);
}

unsigned current_processor() {
  const AllowedProcessors& set = runtime->run.execution.current().posix->allowed;
  unsigned first = 0;
  while (!allowed(set, first)) {
    ++first;
  }
  return first;
}

int get_affinity(const Thread& thread, std::size_t bytes, cpu_set_t* set) {
  if (bytes < processor_set_bytes() || bytes % sizeof(std::uint64_t) != 0) {
    return EINVAL;
  }
  if (set == nullptr) {
    return EFAULT;
  }
  auto* word = reinterpret_cast<std::uint64_t*>(set);
  std::fill_n(word, processor_set_bytes() / sizeof *word, 0);
  for (unsigned i = 0; i < processors(); ++i) {
    word[i / kWordBits] |= std::uint64_t{allowed(thread.posix->allowed, i)} << (i % kWordBits);
  }
  return 0;
}

int set_affinity(Thread& thread, std::size_t bytes, const cpu_set_t* set) {
  if (set == nullptr) {
    return EFAULT;
  }
  AllowedProcessors wanted;
  wanted.all = false;
  bool any = false;
  for (unsigned i = 0; i < processors() && i / 8 < bytes; ++i) {
    bool is_set = (reinterpret_cast<const unsigned char*>(set)[i / 8] >> (i % 8) & 1) != 0;
    any |= is_set;
    wanted.words[i / kWordBits] |= std::uint64_t{is_set} << (i % kWordBits);
  }
  if (!any) {
    return EINVAL;
  }
  thread.posix->allowed = wanted;
  return 0;
}

std::string processor_list(const Thread& thread) { return list_of(those_of(thread)); }
std::string processor_mask(const Thread& thread) { return mask_of(those_of(thread)); }
std::string all_processors_list() { return list_of(every); }
std::string all_processors_mask() { return mask_of(every); }

}  // namespace rff

using namespace rff;
using identity::real_process;

RFF_EXPORT int sched_getcpu() noexcept {
  return controlled() ? static_cast<int>(current_processor()) : RFF_REAL(sched_getcpu)();
}

RFF_EXPORT int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (!controlled()) {
    return RFF_REAL(getcpu)(cpu, node);
  }
  if (cpu != nullptr) {
    *cpu = current_processor();
  }
  if (node != nullptr) {
    *node = 0;
  }
  return 0;
}

RFF_EXPORT int sched_getaffinity(pid_t pid, std::size_t size, cpu_set_t* cpus) noexcept {
  Thread* thread = controlled() ? own_thread(pid) : nullptr;
  if (thread == nullptr) {
    return RFF_REAL(sched_getaffinity)(real_process(pid), size, cpus);
  }
  int error = get_affinity(*thread, size, cpus);
  if (error == 0) {
    std::size_t filled = processor_set_bytes();
    RFF_REAL(memset)(reinterpret_cast<char*>(cpus) + filled, 0, size - filled);
  }
  return result_of(error);
}

// All threads share one core here: what a thread may use changes only what it is told.
RFF_EXPORT int sched_setaffinity(pid_t pid, std::size_t size, const cpu_set_t* cpus) noexcept {
  Thread* thread = controlled() ? own_thread(pid) : nullptr;
  return thread == nullptr ? RFF_REAL(sched_setaffinity)(real_process(pid), size, cpus)
                           : result_of(set_affinity(*thread, size, cpus));
}

RFF_EXPORT int get_nprocs() noexcept {
  return controlled() ? static_cast<int>(processors()) : RFF_REAL(get_nprocs)();
}
RFF_EXPORT int get_nprocs_conf() noexcept {
  return controlled() ? static_cast<int>(processors()) : RFF_REAL(get_nprocs_conf)();
}
