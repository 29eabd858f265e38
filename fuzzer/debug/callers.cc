// Places of a run whose trace tells who called.
#include "fuzzer/debug/debug_info.h"

namespace rff {

void DebugInfo::add_trace(const Trace& trace, const Finding& finding) {
  trace_ = &trace;
  stacks_.clear();
  for (const FailureStack& stack : finding.failure.stacks) {
    stacks_[stack.thread] = stack.frames;
  }
}

const std::vector<CodeName>& DebugInfo::callers(std::uint32_t number) const {
  static const std::vector<CodeName> kNone;
  return trace_ != nullptr && number < trace_->callers.size() ? trace_->callers[number] : kNone;
}

Place DebugInfo::own_place(const std::vector<CodeName>& frames, const Place& otherwise) {
  if (!otherwise.in_library()) {
    return otherwise;
  }
  std::string library;
  for (CodeName code : frames) {
    for (const Place& p : inlined(code, Code::kInstruction)) {
      if (!p.in_library()) {
        Place own = p;
        own.library = library;
        return own;
      }
      library = p.function.empty() ? library : p.function;
    }
  }
  return otherwise;
}

Place DebugInfo::place(const trace::EventInfo& e) {
  return own_place(callers(e.callers), place(e.event));
}

Place DebugInfo::wait_place(std::uint32_t thread, OpKind op, CodeName site) {
  auto stack = stacks_.find(thread);
  Place known = place(op, site);
  return stack != stacks_.end() ? own_place(stack->second, known) : known;
}

Place DebugInfo::held_place(std::uint32_t holder, std::uint64_t object, CodeName since) {
  Place known = place(since, Code::kReturnAddress);
  if (trace_ != nullptr) {
    for (auto e = trace_->events.rbegin(); e != trace_->events.rend(); ++e) {
      if (e->thread == holder && e->address == object && e->event.site == since) {
        return own_place(callers(e->callers), known);
      }
    }
  }
  return known;
}

Place DebugInfo::created_place(std::uint32_t thread, CodeName site) {
  Place known = place(site, Code::kReturnAddress);
  return trace_ != nullptr && thread < trace_->threads.size()
             ? own_place(callers(trace_->threads[thread].info.callers), known)
             : known;
}

// The last block there that was allocated at that site.
Place DebugInfo::allocation_place(const AbstractEvent& e, std::uint64_t address) {
  CodeName site = CodeName::unpack(e.base);
  Place known = place(site, Code::kReturnAddress);
  if (trace_ == nullptr || address == 0 || !known.in_library()) {
    return known;
  }
  for (auto a = trace_->allocations.rbegin(); a != trace_->allocations.rend(); ++a) {
    if (a->site == site && address >= a->address && address - a->address < a->size) {
      return own_place(callers(a->callers), known);
    }
  }
  return known;
}

}  // namespace rff
