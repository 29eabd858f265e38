#include "libsched/embedded/state_check.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "libsched/embedded/symbols.h"
#include "libsched/report/findings.h"
#include "libsched/support/check.h"
#include "libsched/support/real.h"

namespace rff::embedded {
namespace {

// Blocks of the heap lie elsewhere in every run, so pointers to them differ.
bool may_be_pointer(std::uint64_t value) { return value >> 32 != 0; }

// A record has the whole word in which the bytes lie.
std::uint64_t value_of(const Step& step) { return step.value >> 8 * (step.address % 8); }

bool same_value(std::uint64_t a, std::uint64_t b) {
  return a == b || (may_be_pointer(a) && may_be_pointer(b));
}

// Returns the variable's name.
std::string variable_at(const Modules& modules, std::uint64_t address) {
  for (const Module& m : modules.all()) {
    if (address >= m.bias && address < m.end) {
      std::string name = symbol_at(m.path, address - m.bias);
      return name.empty() ? "the variable at " + m.path + "+" + hex(address - m.bias)
                          : "`" + name + "`";
    }
  }
  return "memory at " + hex(address);
}

}  // namespace

bool StateCheck::wanted() {
  const char* given = std::getenv("RFF_CHECK_STATE");
  return given != nullptr && *given != 0 && *given != '0';
}

void StateCheck::remember(const RunRecord& run) {
  if (seen_ == nullptr) {
    long at = real::syscall6(SYS_mmap, 0, kMost * sizeof(Seen), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0) {
      panic("out of memory");
    }
    seen_ = reinterpret_cast<Seen*>(at);
  }
  count_ = std::min<std::size_t>(run.steps.size(), kMost);
  for (std::size_t i = 0; i < count_; ++i) {
    const Step& step = run.steps.items[i];
    seen_[i] = {step, run.event_list.items[step.event]};
  }
}

std::string StateCheck::difference(const RunRecord& second, const Modules& modules) const {
  std::size_t most = std::max<std::size_t>(count_, second.steps.size());
  for (std::size_t i = 0; i < most; ++i) {
    if (i >= count_ || i >= second.steps.size()) {
      return "the second run has " + std::to_string(second.steps.size()) + " events, the first " +
             std::to_string(count_) + ": the program keeps state";
    }
    const Step& now = second.steps.items[i];
    const Seen& before = seen_[i];
    const AbstractEvent& event = second.event_list.items[now.event];
    if (now.thread != before.step.thread || event != before.event) {
      return "the second run goes another way from event " + std::to_string(i + 1) +
             " on: the program keeps state in memory that is not seen";
    }
    if (op_accesses(event.op) && !same_value(value_of(now), value_of(before.step))) {
      return variable_at(modules, now.address) + " was " + std::to_string(value_of(now)) +
             " in the second run and " + std::to_string(value_of(before.step)) +
             " in the first, at event " + std::to_string(i + 1) + ": the program keeps it";
    }
  }
  return "";
}

}  // namespace rff::embedded
