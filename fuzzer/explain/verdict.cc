#include "fuzzer/explain/verdict.h"

#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/explain/divergence.h"

namespace rff {

ExitStatus Comparison::exit_status() const {
  switch (verdict) {
    case Verdict::kReproduced: return kBugFound;
    case Verdict::kNotReproduced:
    case Verdict::kNothingFound: return kNothingFound;
    default: return kToolFailed;
  }
}

std::string_view verdict_name(Verdict v) {
  switch (v) {
    case Verdict::kReproduced: return "reproduced";
    case Verdict::kNothingFound: return "nothing found";
    case Verdict::kOtherFailure: return "other failure";
    case Verdict::kDiverged: return "diverged";
    case Verdict::kDidNotEnd: return "did not end";
    case Verdict::kNotReproduced: return "not reproduced in this build";
    case Verdict::kCannotJudge: return "cannot be judged";
  }
  return "";
}

Comparison compare(const Schedule& schedule, const Run& run, DebugInfo& debug,
                   const std::vector<std::string>& expected_events) {
  Comparison c;
  std::size_t decisions =
      schedule.finding ? schedule.finding->decisions.size() : schedule.prefix.size();
  c.divergence = noted_divergence(run, decisions, debug, expected_events);
  bool expected = schedule.finding && schedule.finding->kind != FindingKind::kNone;
  if (expected ? same_finding(*schedule.finding, run.finding, debug) : run.failed()) {
    c.verdict = Verdict::kReproduced;
    // Files without racing points may be of a version whose hashes were others.
    c.identical = !schedule.finding || run.finding.trace_hash == schedule.finding->trace_hash ||
                  (!schedule.points.racing && run.finding.decisions == schedule.finding->decisions);
    if (!c.identical && c.divergence.empty()) {
      c.divergence = run.finding.decisions == schedule.finding->decisions
                         ? "the same decisions and the same failure, but other events or values"
                         : "the same failure after other decisions";
    }
  } else if (run.outcome == RunOutcome::kUnresponsive) {
    c.verdict = Verdict::kDidNotEnd;
  } else if (run.failed()) {
    c.verdict = Verdict::kOtherFailure;
  } else {
    c.verdict = run.trace.divergence ? Verdict::kDiverged : Verdict::kNothingFound;
  }
  return c;
}

}  // namespace rff
