#include "fuzzer/run/run.h"

#include <filesystem>

#include "fuzzer/common/overflow.h"
#include "fuzzer/common/unseen_modules.h"
#include "schedule/run_finding.h"

namespace rff {

Run collect_run(const SharedMemory& shared) {
  const RunRecord& record = shared.run;
  Run run;
  run.outcome = record.outcome.load();
  run.finding = finding_of(shared);
  if (run.outcome != RunOutcome::kFinding) {
    run.finding.kind = FindingKind::kNone;
  }
  run.overflowed = overflowed_lists(shared);
  run.flags = record.flags;
  run.early_timeout = record.early_timeout;
  run.events = record.events;
  run.scheduling_points = record.scheduling_points;
  run.switches = record.switches;
  run.threads = record.threads;
  run.from_start = shared.fork_point == 1;
  run.event_list.assign(record.event_list.begin(), record.event_list.end());
  run.output = std::string(shared.output.older()) + std::string(shared.output.newer());
  run.values = record.values.view();
  run.output_left_out = shared.output.left_out();
  for (const ModuleRecord& m : shared.modules) {
    if (is_unseen(m)) {
      run.unpatched_modules.push_back(std::filesystem::path(m.path.view()).filename().string());
    }
  }
  for (const auto& name : shared.unmodelled_calls) {
    run.unmodelled_calls.emplace_back(name.view());
  }
  return run;
}

}  // namespace rff
