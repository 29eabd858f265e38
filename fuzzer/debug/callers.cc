// The part of DebugInfo that uses a trace: places and memory of a run, found through callers.
#include "fuzzer/debug/debug_info.h"

namespace rff {

void DebugInfo::add_trace(const Trace& trace, const Finding& finding) {
  trace_ = &trace;
  heap_types_.reset();
  locals_.clear();
  stacks_.clear();
  for (const FailureStack& stack : finding.failure.stacks) {
    stacks_[stack.thread] = stack.frames;
  }
}

void DebugInfo::forget_trace() {
  trace_ = nullptr;
  heap_types_.reset();
  locals_.clear();
  stacks_.clear();
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

HeapTypes* DebugInfo::heap_types() {
  if (heap_types_ == nullptr && trace_ != nullptr) {
    heap_types_ = std::make_unique<HeapTypes>(*trace_, *this);
  }
  return heap_types_.get();
}

void DebugInfo::add_local(std::uint64_t address, const Local& local) {
  locals_.emplace(address, local);
  heap_types_.reset();  // the variable may add information
}

std::optional<std::pair<const DebugInfo::Local*, std::uint64_t>> DebugInfo::local_at(
    std::uint64_t address) const {
  std::optional<std::pair<const Local*, std::uint64_t>> found;
  for (auto it = locals_.begin(); it != locals_.end() && it->first <= address; ++it) {
    if (address - it->first < it->second.size) {
      if (found) {
        return std::nullopt;  // variables of different blocks may share an address
      }
      found = {&it->second, address - it->first};
    }
  }
  return found;
}

std::string DebugInfo::pointee(std::uint64_t address, std::uint64_t step) {
  if (trace_ == nullptr) {
    return "";
  }
  for (const Trace::Module& m : trace_->modules) {
    DebugModule* known = module(m.info.hash);
    if (address < m.info.bias || address >= m.info.end || known == nullptr) {
      continue;
    }
    std::uint64_t offset = address - m.info.bias;
    auto function = known->function_at(offset);
    bool begins = function && function->first == offset;
    return begins ? place({m.info.hash, static_cast<std::uint32_t>(offset)}, Code::kInstruction)
                        .function
                  : known->variables().name(offset, 0);
  }
  if (auto local = local_at(address)) {
    return local->first->name + part_of(local->first->type, local->second, 0);
  }
  if (const trace::AllocationInfo* block = heap_types()->pointed_to(step)) {
    Place from = own_place(callers(block->callers), place(block->site, Code::kReturnAddress));
    std::uint64_t offset = address - block->address;
    return (offset > 0 ? "offset " + std::to_string(offset) + " of " : "") +
           "the heap block from " + from.where();
  }
  for (std::size_t i = 0; i < trace_->threads.size(); ++i) {
    const trace::ThreadInfo& t = trace_->threads[i].info;
    if (address >= t.stack_low && address < t.stack_high) {
      return "on the stack of " + trace_->thread_name(static_cast<std::uint32_t>(i));
    }
  }
  return "";
}

Place DebugInfo::allocation_place(const AbstractEvent& e, std::uint64_t address,
                                  std::uint64_t step) {
  CodeName site = CodeName::unpack(e.base);
  Place known = place(site, Code::kReturnAddress);
  if (trace_ == nullptr || address == 0 || !known.in_library()) {
    return known;
  }
  if (const trace::AllocationInfo* a = step != 0 ? heap_types()->block(step) : nullptr;
      a != nullptr && a->site == site) {
    return own_place(callers(a->callers), known);
  }
  for (auto a = trace_->allocations.rbegin(); a != trace_->allocations.rend(); ++a) {
    if (a->site == site && address >= a->address && address - a->address < a->size) {
      return own_place(callers(a->callers), known);
    }
  }
  return known;
}

}  // namespace rff
