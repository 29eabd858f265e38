#include "schedule/run_finding.h"

#include <algorithm>

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

}  // namespace

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
  // Where the threads of a run are that does not end is said as for a failure.
  if (finding.kind == FindingKind::kNone && run.outcome.load() != RunOutcome::kUnresponsive) {
    return finding;
  }
  f.facts = run.failure;
  f.facts.cause = f.facts.cause < CrashCause::kCount ? f.facts.cause : CrashCause::kSignal;
  add_module(shared, f.facts.inside, f);
  for (const SharedWait& w : run.waits) {
    f.waits.push_back(wait_from(w));
    add_module(shared, w.site, f);
    add_module(shared, w.held_since, f);
  }
  for (const RepeatedRead& r : run.repeated_reads) {
    f.repeated_reads.push_back(r);
    add_module(shared, r.site, f);
  }
  return finding;
}

}  // namespace rff
