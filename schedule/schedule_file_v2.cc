// Reads version 2 of the schedule file, one fixed sequence of fields. No code writes this version.
#include <iterator>

#include "schedule/schedule_parts.h"

namespace rff::schedule_parts {
namespace {

// Schedulers by their number in version 2. Must not change.
constexpr SchedulerKind kSchedulers[] = {SchedulerKind::kRff,       SchedulerKind::kPos,
                                         SchedulerKind::kPct,       SchedulerKind::kRandom,
                                         SchedulerKind::kWindow,    SchedulerKind::kSteady,
                                         SchedulerKind::kRoundRobin};

void read_old_scheduler(ByteReader& r, Schedule& s) {
  std::uint8_t number = 0;
  r.number(number, "scheduler");
  if (number < std::size(kSchedulers)) {
    s.scheduler = kSchedulers[number];
  } else {
    r.fail("unknown scheduler " + std::to_string(number));
  }
}

// Version 2 stores all three parameters for every scheduler. Those that the scheduler does not have
// are ignored.
void read_parameters(ByteReader& r, Schedule& s) {
  for (SchedulerParameter p :
       {SchedulerParameter::kDepth, SchedulerParameter::kLength, SchedulerParameter::kPatience}) {
    std::uint32_t value = 0;
    r.number(value, "parameters");
    if (scheduler_row(s.scheduler).has(p)) {
      set_parameter(r, s, p, value);
    }
  }
}

void read_old_finding(ByteReader& r, Schedule& s) {
  bool has_finding = false;
  r.boolean(has_finding, "finding");
  if (!has_finding) {
    return;
  }
  Finding& f = s.finding.emplace();
  r.enumeration(f.kind, static_cast<FindingKind>(6), "kind of finding");
  r.text(f.failure.version_2_text, "finding");
  r.number(f.place, "finding");
  r.number(f.trace_hash, "finding");
  r.records(f.decisions, kMaxDecisions, "decisions");
}

}  // namespace

void read_version_2(ByteReader& r, Schedule& s) {
  read_old_scheduler(r, s);
  bool any = false;
  r.boolean(any, "timeout policy");
  s.timeouts = any ? kAnyPreemption : kNoPreemption;
  r.boolean(s.guided, "use of the prefix");
  r.boolean(s.exit_is_finding, "exit policy");
  read_parameters(r, s);
  r.number(s.seed, "seed");
  r.number(s.max_steps, "step limit");
  read_constraints(r, s);
  r.records(s.prefix, kMaxDecisions, "prefix decisions");
  read_points(r, s);
  read_target(r, s);
  read_old_finding(r, s);
  if (r.ok() && !r.at_end()) {
    r.fail("has bytes after its end");
  }
}

}  // namespace rff::schedule_parts
