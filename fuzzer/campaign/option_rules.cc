// Refuses contradictory combinations of options.
#include "command_line/command_line.h"
#include "fuzzer/campaign/options.h"
#include "fuzzer/common/selection_file.h"
#include "fuzzer/common/tool_error.h"

namespace rff {
namespace {

void check_tests(const Options& o) {
  if (o.tests.empty() && (!o.filter.empty() || o.list_tests)) {
    throw bad_usage("--filter and --list-tests are about tests: they go with --tests only");
  }
  if (o.tests.empty()) {
    return;
  }
  if (o.max_seconds == 0 && o.max_schedules == 0 && !o.list_tests) {
    throw bad_usage("--tests needs an end: -t TIME for all of them, or -n N for each");
  }
  if (o.json || o.afl_ui || o.check_determinism || o.list_stop_points) {
    throw bad_usage(
        "--tests goes without --json, --afl-ui, --check-determinism and --list-stop-points");
  }
}

void check_inputs(const Options& o) {
  if (o.input_only && o.schedule_only) {
    throw bad_usage("--input-only and --schedule-only leave nothing to fuzz: give one of them");
  }
  bool needs_inputs = !o.dictionaries.empty() || o.input_as_argument || !o.input_variable.empty();
  if (needs_inputs && o.inputs.empty() && !o.resume) {
    throw bad_usage("-x and --input-as go with --inputs only");
  }
  if (!o.inputs.empty() && (o.check_determinism || o.list_stop_points)) {
    throw bad_usage(
        "--check-determinism and --list-stop-points take one input: leave --inputs out");
  }
}

}  // namespace

void check_options(const Options& o) {
  if (o.resume && o.force) {
    throw bad_usage("-i - keeps the campaign and --force throws it away: give one of them");
  }
  if (o.search.paper && search_text(o.search) != "rff") {
    throw bad_usage("--paper is the published form of rff: it goes with no other --scheduler");
  }
  selection_of(o.search);  // throws if it cannot be read
  bool systematic = o.search.scheduler == SchedulerKind::kSystematic;
  if (o.require_complete && !systematic) {
    throw bad_usage("--require-complete goes with --scheduler systematic only");
  }
  if (systematic && !o.corpus.empty()) {
    throw bad_usage("the systematic search takes no corpus: leave -i out (-i - resumes it)");
  }
  if (!o.checks.ignored.empty() && !o.checks.any()) {
    throw bad_usage("--check-ignore goes with --check only");
  }
  if (o.json && o.afl_ui) {
    throw bad_usage("--json and --afl-ui both want standard output: give one of them");
  }
  bool only_looks = o.check_determinism || o.list_stop_points;
  if (only_looks && o.exports.any()) {
    throw bad_usage("--junit and --sarif tell of a campaign, and this is none: leave them out");
  }
  if (o.check_determinism && (o.json || o.resume || !o.corpus.empty() || o.list_stop_points)) {
    throw bad_usage(
        "--check-determinism only compares runs: leave -i, --json and --list-stop-points out");
  }
  check_tests(o);
  check_inputs(o);
}

}  // namespace rff
