// What two ways to make a run must agree on.
#pragma once

#include <string>

#include "tests/support/runner.h"

namespace rff::test {

// Everything that a run reports about what happened, as one line.
inline std::string facts_of(const RunResult& r) {
  const RunRecord& run = r.run();
  std::string decisions;
  for (const Decision& d : run.decisions) {
    decisions += std::to_string(d.thread) + ",";
  }
  auto number = [](std::uint64_t n) { return std::to_string(n) + " "; };
  return "trace " + number(run.trace_hash) + "decisions " + number(run.decisions.size()) +
         decisions + " pairs " + number(run.rf_combination) + "flow " + number(run.control_flow) +
         "outcome " + number(static_cast<std::uint64_t>(run.outcome.load())) + "flags " +
         number(run.flags) + "threads " + number(run.threads) + "status " +
         number(static_cast<std::uint32_t>(r.wait_status)) + r.message();
}

}  // namespace rff::test
