#include "libsched/report/loop_watch.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "libsched/carrier/carried_thread.h"
#include "libsched/memory/library_symbol.h"
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
    if (!op_accesses(op.op) && op.op != OpKind::kYield) {
      return;
    }
    if (!own_state(t, where, &state)) {
      passes.breaks();
    } else if (op.op == OpKind::kYield) {
      passes.yields(op.site, state);
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
  if (calls_unseen_code() || outside.rsp < t.stack_low || outside.rsp >= t.stack_high ||
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
  *state = hash;
  return true;
}

// Functions that the runtime replaces report what they read. Of all others, few are known to decide
// nothing that a loop could wait for.
bool LoopWatch::calls_unseen_code() {
  static constexpr const char* kHarmless[] = {"__libc_start_main",
                                              "__cxa_finalize",
                                              "__gmon_start__",
                                              "_ITM_deregisterTMCloneTable",
                                              "_ITM_registerTMCloneTable",
                                              "exit",
                                              "abort",
                                              "__assert_fail",
                                              "__stack_chk_fail",
                                              "__errno_location",
                                              "puts",
                                              "putchar",
                                              "printf",
                                              "fprintf",
                                              "fputs",
                                              "fputc",
                                              "fwrite",
                                              "fflush",
                                              "perror",
                                              "__printf_chk",
                                              "__fprintf_chk",
                                              "__tls_get_addr"};
  constexpr KnowsFunction known = [](const char* name, const void* context) {
    const auto& all = static_cast<const Modules*>(context)->all();
    auto own = reinterpret_cast<std::uint64_t>(&imports_only);
    return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                       [&](const char* n) { return std::strcmp(n, name) == 0; }) ||
           std::any_of(all.begin(), all.end(), [&](const Module& m) {
             bool seen = m.patched != nullptr || (m.begin <= own && own < m.end);
             return seen && library_symbol(m.begin, m.bias, name) != 0;
           });
  };
  if (!calls_unseen_code_) {
    const auto& all = modules_.all();
    calls_unseen_code_ = std::any_of(all.begin(), all.end(), [&](const Module& m) {
      return m.patched != nullptr && !imports_only(m.begin, m.bias, known, &modules_);
    });
  }
  return *calls_unseen_code_;
}

}  // namespace rff
