// Findings for memory that a thread is about to use, or to give back, and must not.
#include "libsched/report/findings.h"

namespace rff {

void Findings::memory_error(const FoundMemoryError& error) {
  StopContext s;
  capture(s);
  control_->start_run();
  auto name = [&](std::uint32_t thread) -> std::string_view {
    return thread < execution_.threads().size() ? execution_.threads()[thread]->name
                                                : std::string_view();
  };
  FailureRecord failure;
  SharedMemoryError& shared = failure.memory.emplace();
  static_cast<MemoryErrorFacts&>(shared) = error.facts;
  shared.thread_name.set(name(error.facts.thread));
  shared.freed_by_name.set(name(error.facts.freed_by));
  shared.allocated_by_name.set(name(error.facts.allocated_by));
  failure.facts.address = error.facts.address;
  if (trace_.enabled()) {
    trace_.memory_error({error.facts, error.freed_callers, error.allocated_callers});
  }
  report(error.kind, error.place, failure, s);
}

}  // namespace rff
