#include "libsched/report/loop_watch.h"

#include "libsched/carrier/carried_thread.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/words.h"
#include "schedule/hash.h"
#include "schedule/hook_entry.h"

namespace rff {

LoopPasses& LoopWatch::passes_of(Thread& t) {
  if (t.index >= passes_.size()) {
    passes_.resize(t.index + 1);
  }
  if (passes_[t.index] == nullptr) {
    passes_[t.index] = std::make_unique<LoopPasses>();
    accesses_.follow_loops(t, *passes_[t.index]);
  }
  return *passes_[t.index];
}

void LoopWatch::stopped(Thread& t, const StopContext& where) {
  keeping_vectors(vectors_, [&] {
    Operation& op = *t.pending;
    LoopPasses& passes = passes_of(t);
    std::uint64_t state = 0;
    if (!op_accesses(op.op)) {
      return;
    }
    if (!own_state(t, where, &state)) {
      passes.breaks();
    } else if (passes.stops(op.site, op.address, state)) {
      op.awaited = &passes.awaited();
      if (!passes.released()) {
        accesses_.waits_in_loop(t);
      }
    }
  });
}

bool LoopWatch::own_state(const Thread& t, const StopContext& where, std::uint64_t* state) {
  constexpr std::uint64_t kMostStack = 1 << 16;
  StopContext outside = registers_outside(modules_, where);
  if (outside.rsp < t.stack_low || outside.rsp >= t.stack_high ||
      t.stack_high - outside.rsp > kMostStack) {
    return false;
  }
  std::uint64_t hash = static_cast<std::uint64_t>(t.pending->op);
  for (std::uint64_t part :
       {outside.rip, outside.rsp, outside.rbp, outside.rbx, outside.r12, outside.r13, outside.r14,
        outside.r15, execution_.progress.looks_outside(), t.carried->vectors.fingerprint()}) {
    hash = hash_combine(hash, part);
  }
  if (std::uint64_t entry = t.carried->entry_frame) {
    hash = hash_combine(hash, vectors_.fingerprint());
    for (std::uint64_t at = entry - hook::kEntrySaves; at < entry; at += kWordBytes) {
      hash = hash_combine(hash, *reinterpret_cast<const std::uint64_t*>(at));
    }
  }
  for (std::uint64_t at = word_of(outside.rsp); at < t.stack_high; at += kWordBytes) {
    hash = hash_combine(hash, load_or_zero(at));
  }
  *state = hash_combine(hash, library_state());
  return true;
}

// Functions of the C library may have a memory of their own: rand, say.
std::uint64_t LoopWatch::library_state() {
  if (libraries_.empty()) {
    for (const Span& span : writable_memory()) {
      const Module* m = modules_.find(span.begin);
      if (m != nullptr && m->patched == nullptr &&
          m != modules_.find(reinterpret_cast<std::uint64_t>(&execution_))) {
        libraries_.push_back(span);
      }
    }
  }
  std::uint64_t state = 0;
  for (const Span& span : libraries_) {
    probe_words(span.begin, (span.end - span.begin) / kWordBytes, &state);
  }
  return state;
}

}  // namespace rff
