#include "tests/support/runner.h"

#include <cstdlib>

namespace rff::test {

// A timeout turns a run that hangs into a failed test.
Runner::Runner(std::vector<std::string> command)
    : runner_({.launcher = launcher(), .timeout = 120, .keep_output = true}) {
  target_.path = command.at(0);
  target_.arguments.assign(command.begin() + 1, command.end());
}

RunResult Runner::run(const Schedule& schedule) {
  const char* carrier = std::getenv(kCarrierVariable);
  runner_.use_carrier(carrier != nullptr ? carrier : "");
  Schedule s = schedule;
  s.target.path = target_.path;
  s.target.arguments = target_.arguments;
  if (const char* checks = std::getenv(kChecksVariable)) {
    s.target.checks = checks_from_text(checks).value();
  }
  Run run = runner_.run(s);
  RunResult result;
  result.wait_status = run.wait_status;
  result.output = std::move(run.output);
  result.shared = runner_.take_memory();
  return result;
}

Schedule Runner::replay(const Schedule& original, const RunResult& r) const {
  Schedule s = original;
  s.finding = finding_of(*r.shared);
  return s;
}

}  // namespace rff::test
