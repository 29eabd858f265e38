#include "fuzzer/report/report_builder.h"

#include <cstdio>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/debug/finding_identity.h"
#include "fuzzer/debug/readable_finding.h"
#include "fuzzer/explain/program_message.h"
#include "fuzzer/explain/waits.h"

namespace rff {
namespace {

// Returns the last step before `before` at which a thread other than `waiter` took the object,
// unless `waiter` used it later. Returns 0 if there is none.
std::uint64_t last_taken(const Trace& trace, std::uint64_t object, std::uint32_t waiter,
                         std::size_t before) {
  for (std::size_t i = before; i-- > 0;) {
    const trace::EventInfo& e = trace.events[i];
    bool takes = e.event.op == OpKind::kLock || e.event.op == OpKind::kReadLock ||
                 e.event.op == OpKind::kSemaphoreWait;
    if (e.address == object && takes && e.thread != waiter) {
      return e.step;
    }
    if (e.address == object && e.thread == waiter) {
      break;
    }
  }
  return 0;
}

class TraceDetails : public ReportDetails {
 public:
  TraceDetails(const Trace& trace, DebugInfo& debug)
      : trace_(trace), debug_(debug), teller_(trace, debug) {}

  std::size_t events() const override { return trace_.events.size(); }
  std::uint64_t step(std::size_t event) const override { return trace_.events[event].step; }
  StoryEvent tell(std::size_t event) override { return teller_.tell(trace_.events[event]); }
  std::uint64_t taken_before(std::size_t event) const override {
    const trace::EventInfo& e = trace_.events[event];
    return last_taken(trace_, e.address, e.thread, event);
  }
  std::string source_line(const Place& place) override { return debug_.source_line(place); }

 private:
  const Trace& trace_;
  DebugInfo& debug_;
  Storyteller teller_;
};

ReportedWait report_wait(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait) {
  ReportedWait w;
  w.blocked = wait.info.blocked != 0;
  w.what = wait_words(wait.object());
  w.object = waited_object(trace, debug, wait);
  w.place =
      debug.wait_place(wait.info.thread, static_cast<OpKind>(wait.info.op), wait.info.waits_at);
  w.since = last_taken(trace, wait.info.object, wait.info.thread, trace.events.size());
  if (wait.info.holder != kNobody) {
    w.held_by = trace.thread_name(wait.info.holder);
    if (wait.info.held_since != CodeName{}) {
      w.held_since = debug.held_place(wait.info.holder, wait.info.object, wait.info.held_since);
    }
  }
  return w;
}

std::vector<ReportedThread> report_threads(const Trace& trace, DebugInfo& debug) {
  std::vector<ReportedThread> threads;
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    ReportedThread thread{.name = trace.threads[i].name, .wait = {}};
    if (const Trace::Wait* wait = trace.wait_of(i)) {
      thread.wait = report_wait(trace, debug, *wait);
    }
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace

FindingReport build_report(ReportInput input) {
  const Run& run = input.run;
  FindingReport r;
  r.comparison = std::move(input.comparison);
  r.recorded = input.schedule.finding;
  r.notes = std::move(input.notes);
  r.target = input.schedule.target;
  r.program = input.debug.module_name(module_hash(r.target.path));
  r.input = input.schedule.input;
  r.values = run.values;
  r.rebuilt = input.rebuilt;
  r.input_changed = input.input_changed;
  r.first_schedule = input.first_schedule;

  r.events = run.events;
  r.scheduling_points = run.scheduling_points;
  r.switches = run.switches;
  r.thread_count = run.threads;
  r.threads = report_threads(run.trace, input.debug);
  r.unpatched_modules = run.unpatched_modules;
  r.unmodelled_calls = run.unmodelled_calls;
  r.overflowed = run.overflowed;
  r.early_timeout = run.early_timeout;
  r.output = run.output;
  r.output_left_out = run.output_left_out;
  r.gave_up = run.gave_up();

  r.kind = run.finding.kind;
  r.summary =
      summary_with_message(run.finding, finding_words(run.finding), program_message(run.output));
  r.place = finding_place(run.finding, input.debug);
  if (run.finding.kind != FindingKind::kNone) {
    char hash[24];
    std::snprintf(hash, sizeof hash, "%016llx",
                  static_cast<unsigned long long>(identify(run.finding, input.debug).hash()));
    r.identity = hash;
  }
  r.sanitizer = readable_report(run.finding, input.debug);
  if (run.trace.outcome) {
    r.ended_by = run.trace.outcome->thread;
  }
  r.cycle = waiting_cycle(run.trace);
  r.explanation = std::move(input.explanation);
  r.whole_trace = input.whole_trace;
  r.details = std::make_shared<TraceDetails>(run.trace, input.debug);
  return r;
}

}  // namespace rff
