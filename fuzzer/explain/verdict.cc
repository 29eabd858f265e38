#include "fuzzer/explain/verdict.h"

#include <algorithm>

#include "fuzzer/explain/story.h"

namespace rff {
namespace {

// The schedule keeps only 15 bits of each event's id: the events of this run with those bits are
// the likely ones.
std::string expected_event(const Run& run, std::uint32_t check, DebugInfo& debug) {
  for (const AbstractEvent& e : run.event_list) {
    if ((e.id() & 0x7fff) == check) {
      return event_text(e, debug);
    }
  }
  return "";
}

std::string divergence_text(const Run& run, std::size_t decisions, DebugInfo& debug,
                            const std::vector<std::string>& recorded) {
  const trace::DivergenceInfo& d = run.trace.divergence->info;
  std::string who = "thread " + run.trace.thread_name(d.expected_thread);
  std::string text = "decision " + std::to_string(d.decision + 1) + " of " +
                     std::to_string(decisions) + " (after " + std::to_string(d.step) + " events): ";
  if (d.expected_thread >= run.trace.threads.size()) {
    return text + "the recorded run went on with thread number " +
           std::to_string(d.expected_thread) + ", which does not exist here";
  }
  std::string expected =
      d.decision < recorded.size() ? recorded[d.decision] : expected_event(run, d.check, debug);
  std::string pending = d.pending.op == OpKind::kNone ? "" : event_text(d.pending, debug);
  if (d.seen_thread == ~0u) {
    text += "the recorded run went on with " + who + (expected.empty() ? "" : ", " + expected) +
            "; here it cannot run" + (pending.empty() ? "" : " (it is at: " + pending + ")");
  } else {
    text += "expected " + who + " to do " +
            (expected.empty() ? "something this run never does" : "the " + expected) +
            ", but it is about to do the " + pending;
  }
  return text;
}

// By name: addresses may differ between carriers.
bool same_event(const trace::EventInfo& a, const trace::EventInfo& b) {
  return a.step == b.step && a.thread == b.thread && a.flags == b.flags &&
         a.event.id() == b.event.id() && a.exact_name == b.exact_name && a.value == b.value &&
         a.reads_from == b.reads_from && a.source_site == b.source_site;
}

}  // namespace

std::string first_difference(const Trace& one, const Trace& other, DebugInfo& debug) {
  auto [a, b] = std::mismatch(one.events.begin(), one.events.end(), other.events.begin(),
                              other.events.end(), same_event);
  if (a == one.events.end() && b == other.events.end()) {
    return "";
  }
  auto text = [&](const Trace& t, auto it) {
    return it == t.events.end()
               ? std::string("nothing")
               : "thread " + t.thread_name(it->thread) + ", " + event_text(it->event, debug) +
                     ((it->flags & trace::kValueKnown) != 0 && it->event.size <= 8
                          ? " = " + value_text(it->value, it->event.size)
                          : "");
  };
  return "event " + std::to_string(a - one.events.begin() + 1) + " of the trace was " +
         text(one, a) + " in the first run, and " + text(other, b) + " here";
}

std::string event_text(const AbstractEvent& e, DebugInfo& debug) {
  std::string location = is_lifecycle(e.op) ? "" : debug.location(e);
  return std::string(op_name(e.op)) + (location.empty() ? "" : " of " + location) + " at " +
         debug.place(e).where();
}

ExitStatus Comparison::exit_status() const {
  switch (verdict) {
    case Verdict::kReproduced: return kBugFound;
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
  }
  return "";
}

Comparison compare(const Schedule& schedule, const Run& run, DebugInfo& debug,
                   const std::vector<std::string>& expected_events) {
  Comparison c;
  if (run.trace.divergence) {
    std::size_t decisions =
        schedule.finding ? schedule.finding->decisions.size() : schedule.prefix.size();
    c.divergence = divergence_text(run, decisions, debug, expected_events);
  }
  bool expected = schedule.finding && schedule.finding->kind != FindingKind::kNone;
  if (expected ? run.same_failure(*schedule.finding) : run.failed()) {
    c.verdict = Verdict::kReproduced;
    c.identical = !schedule.finding || run.finding.trace_hash == schedule.finding->trace_hash;
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
