#include "libsched/interpose/process/asked_processor.h"

#include <ucontext.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/processor_query.h"
#include "libsched/interpose/process/processors.h"
#include "libsched/interpose/time/timestamp.h"
#include "libsched/support/instruction_traps.h"

namespace rff {
namespace {

// Libraries wait by reading the counter in a loop, and each reading costs a signal. So time passes
// faster, earlier than for other clocks, while nothing else happens.
std::uint64_t read_in_loop() {
  constexpr std::uint64_t kStep = 1000, kPatience = 100, kDoubling = 16, kMostDoublings = 20;
  static std::uint64_t changes = 0;
  static std::uint64_t readings = 0;
  const Progress& progress = runtime->run.execution.progress;
  readings = progress.changes() == changes ? readings + 1 : 0;
  changes = progress.changes();
  if (readings > kPatience) {
    std::uint64_t doublings = (readings - kPatience) / kDoubling;
    runtime->run.execution.now += kStep
                                  << (doublings < kMostDoublings ? doublings : kMostDoublings);
  }
  return read_timestamp();
}

}  // namespace

bool answer_query(void* context) {
  using instruction_traps::Query;
  auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  unsigned length = 0;
  Query query =
      instruction_traps::query_at(static_cast<std::uint64_t>(registers[REG_RIP]), &length);
  if (query == Query::kNone) {
    return false;
  }
  if (!controlled()) {
    instruction_traps::end();  // a thread or a process of its own, which asks again
    return true;
  }
  auto set = [&](int number, std::uint64_t value) {
    registers[number] = static_cast<greg_t>(value & 0xffffffff);
  };
  if (query == Query::kProcessor) {
    ProcessorReply reply = query_processor(static_cast<std::uint32_t>(registers[REG_RAX]),
                                           static_cast<std::uint32_t>(registers[REG_RCX]));
    set(REG_RAX, reply.a);
    set(REG_RBX, reply.b);
    set(REG_RCX, reply.c);
    set(REG_RDX, reply.d);
  } else {
    std::uint64_t counter = read_in_loop();
    set(REG_RAX, counter);
    set(REG_RDX, counter >> 32);
    if (query == Query::kTimestampAndProcessor) {
      set(REG_RCX, current_processor());
    }
  }
  registers[REG_RIP] += length;
  return true;
}

}  // namespace rff
