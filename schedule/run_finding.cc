#include "schedule/run_finding.h"

#include <algorithm>
#include <set>

#include "schedule/hash.h"

namespace rff {
namespace {

void add_module(const SharedMemory& shared, CodeName code, Failure& f) {
  auto has_hash = [&](const auto& m) { return m.hash == code.module; };
  if (code == CodeName{} || std::any_of(f.modules.begin(), f.modules.end(), has_hash)) {
    return;
  }
  auto module = std::find_if(shared.modules.begin(), shared.modules.end(), has_hash);
  if (module != shared.modules.end()) {
    std::string_view path = module->path.view();
    f.modules.push_back({code.module, std::string(path.substr(path.rfind('/') + 1))});
  }
}

FailureWait wait_from(const SharedWait& w) {
  FailureWait wait;
  static_cast<WaitFacts&>(wait) = w;
  wait.op = w.op < OpKind::kCount ? w.op : OpKind::kNone;
  wait.object = w.object < WaitObject::kCount ? w.object : WaitObject::kNone;
  wait.thread_name = w.thread_name.view();
  wait.holder_name = w.holder_name.view();
  return wait;
}

MemoryError memory_error_of(const SharedMemoryError& shared) {
  MemoryError error;
  static_cast<MemoryErrorFacts&>(error) = shared;
  make_known(error);
  error.thread_name = shared.thread_name.view();
  error.freed_by_name = shared.freed_by_name.view();
  error.allocated_by_name = shared.allocated_by_name.view();
  return error;
}

}  // namespace

std::uint64_t failure_key(const RunRecord& run) {
  constexpr std::uint32_t kFrames = 12;
  // Neither the number nor the identity of the threads with a stack matters.
  std::set<std::uint64_t> stacks;
  for (const SharedStack& s : run.stacks) {
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < std::min(s.count, kFrames); ++i) {
      hash = hash_combine(hash, s.frames[i].packed());
    }
    stacks.insert(hash);
  }
  std::uint64_t key = hash_combine(static_cast<std::uint64_t>(run.finding), run.place.packed());
  key = hash_combine(key, static_cast<std::uint64_t>(run.failure.cause));
  key = hash_combine(key, static_cast<std::uint32_t>(run.failure.signal));
  key = hash_combine(key, static_cast<std::uint32_t>(run.failure.exit_status));
  for (std::uint64_t hash : stacks) {
    key = hash_combine(key, hash);
  }
  return key;
}

std::vector<Decision> complete_decisions(const RunRecord& run) {
  if (run.decisions.overflowed.load(std::memory_order_relaxed) != 0) {
    return {};
  }
  return {run.decisions.begin(), run.decisions.end()};
}

Finding finding_of(const SharedMemory& shared) {
  const RunRecord& run = shared.run;
  Finding finding;
  finding.kind = run.finding < FindingKind::kCount ? run.finding : FindingKind::kNone;
  finding.place = run.place;
  finding.trace_hash = run.trace_hash;
  finding.decisions = complete_decisions(run);
  Failure& f = finding.failure;
  f.words = run.words.view();
  if (run.outcome.load() == RunOutcome::kDiverged) {
    f.divergence = run.divergence;
  }
  // An unresponsive run reports the positions of its threads as a failure does.
  if (finding.kind == FindingKind::kNone && run.outcome.load() != RunOutcome::kUnresponsive) {
    return finding;
  }
  f.facts = run.failure;
  f.report = run.report.view();
  f.facts.cause = f.facts.cause < CrashCause::kCount ? f.facts.cause : CrashCause::kSignal;
  add_module(shared, f.facts.inside, f);
  for (const SharedWait& w : run.waits) {
    f.waits.push_back(wait_from(w));
    add_module(shared, w.site, f);
    add_module(shared, w.held_since, f);
  }
  for (const SharedStack& s : run.stacks) {
    std::uint32_t count = std::min(s.count, SharedStack::kMostFrames);
    f.stacks.push_back({s.thread, {s.frames, s.frames + count}});
    for (CodeName code : f.stacks.back().frames) {
      add_module(shared, code, f);
    }
  }
  if (is_memory_error(finding.kind)) {
    f.memory = memory_error_of(run.memory_error);
    add_module(shared, f.memory->freed_at, f);
    add_module(shared, f.memory->allocated_at, f);
  }
  for (const RepeatedRead& r : run.repeated_reads) {
    f.repeated_reads.push_back(r);
    add_module(shared, r.site, f);
  }
  return finding;
}

}  // namespace rff
