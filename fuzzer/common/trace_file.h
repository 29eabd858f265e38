// Reads the trace of one run (schedule/trace.h) into memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedule/trace.h"

namespace rff {

struct Trace {
  struct Module {
    trace::ModuleInfo info;
    std::string path;
  };
  struct Thread {
    trace::ThreadInfo info{};
    std::string name;  // "main.2.1"
  };
  struct Stack {
    trace::StackInfo registers;
    std::string bytes;  // from registers.rsp upwards
  };
  struct Wait {
    trace::WaitInfo info;
    // Maps unknown objects of a newer runtime to kNone.
    WaitObject object() const {
      return info.waits_for < static_cast<std::uint32_t>(WaitObject::kCount)
                 ? static_cast<WaitObject>(info.waits_for)
                 : WaitObject::kNone;
    }
  };
  struct Outside {
    trace::OutsideInfo info{};
    std::string what;  // "open /proc/self/maps"
  };
  struct Divergence {
    trace::DivergenceInfo info;
  };

  std::vector<Module> modules;
  std::vector<Thread> threads;  // by index
  std::vector<trace::EventInfo> events;
  std::vector<trace::DecisionInfo> decisions;
  std::vector<Stack> stacks;
  std::vector<Wait> waits;
  std::optional<Divergence> divergence;  // the first one
  std::optional<trace::OutcomeInfo> outcome;
  std::vector<std::string> notes;
  std::vector<std::vector<CodeName>> callers;  // by CallersInfo::number; the first is empty
  std::vector<trace::AllocationInfo> allocations;
  std::optional<trace::MemoryErrorInfo> memory_error;
  std::vector<Outside> outside;                          // in order of execution
  std::vector<trace::SourceInfo> further_sources;        // in order of execution
  std::unordered_map<std::uint64_t, std::string> files;  // paths by FileInfo::name

  const std::string& thread_name(std::uint32_t thread) const;
  // Returns the event of this step; null if the trace omits it.
  const trace::EventInfo* at_step(std::uint64_t step) const;
  const Wait* wait_of(std::uint32_t thread) const;
};

// Reads as far as the bytes are complete: the run may have died while writing, even before the
// header. Records of unknown kinds are skipped. `error` says why the bytes are not a trace of this
// version; empty if they are.
Trace read_trace(std::string_view bytes, std::string& error);

}  // namespace rff
