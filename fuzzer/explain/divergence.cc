#include "fuzzer/explain/divergence.h"

#include <algorithm>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/explain/story.h"

namespace rff {
namespace {

// The schedule stores only some bits of each event's id. Events of this run with the same bits are
// the likely candidates.
std::string expected_event(const Run& run, std::uint32_t check, DebugInfo& debug) {
  for (const AbstractEvent& e : run.event_list) {
    if (EventCheck(static_cast<std::uint16_t>(check)).matches(e.id())) {
      return event_text(e, debug);
    }
  }
  return "";
}

// Compares by name: addresses may differ between carriers.
bool same_event(const trace::EventInfo& a, const trace::EventInfo& b) {
  return a.step == b.step && a.thread == b.thread && a.flags == b.flags &&
         a.event.id() == b.event.id() && a.exact_name == b.exact_name && a.value == b.value &&
         a.reads_from == b.reads_from && a.source_site == b.source_site;
}

std::string kind_text(const Finding& f) {
  return std::string(f.kind == FindingKind::kNone ? "no failure" : finding_name(f.kind));
}

}  // namespace

std::string noted_divergence(const Run& run, std::size_t decisions, DebugInfo& debug,
                             const std::vector<std::string>& recorded) {
  if (!run.trace.divergence) {
    return "";
  }
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
  if (d.seen_thread == kNoThread) {
    text += "the recorded run went on with " + who + (expected.empty() ? "" : ", " + expected) +
            "; here it cannot run" + (pending.empty() ? "" : " (it is at: " + pending + ")");
  } else {
    text += "expected " + who + " to do " +
            (expected.empty() ? "something this run never does" : "the " + expected) +
            ", but it is about to do the " + pending;
  }
  return text;
}

std::string divergence_of_traces(const Trace& one, const Trace& other, DebugInfo& debug) {
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

std::string divergence_of_runs(const Finding& expected, const Run& seen) {
  if (seen.killed) {
    return "the run did not end";
  }
  if (seen.outcome == RunOutcome::kUnresponsive) {
    return "the second run did not end in time";
  }
  const Finding& found = seen.finding;
  std::size_t total = expected.decisions.size();
  for (std::size_t i = 0; i < std::min(total, found.decisions.size()); ++i) {
    const Decision& a = expected.decisions[i];
    const Decision& b = found.decisions[i];
    if (a != b) {
      return "decision " + std::to_string(i + 1) + " of " + std::to_string(total) +
             ": first thread " + std::to_string(a.thread) + " ran, then thread " +
             std::to_string(b.thread) + (a.thread == b.thread ? " with another event" : "");
    }
  }
  if (!expected.same_failure(found)) {
    std::string why = finding_words(found);
    return "first " + kind_text(expected) + ", then " + kind_text(found) +
           (expected.kind == found.kind ? " elsewhere" : "") +
           (why.empty() ? "" : " (" + why + ")");
  }
  if (total != found.decisions.size()) {
    return "first " + std::to_string(total) + " decisions, then " +
           std::to_string(found.decisions.size());
  }
  return expected.trace_hash == found.trace_hash ? ""
                                                 : "the same decisions, but other events or values";
}

std::string event_text(const AbstractEvent& e, DebugInfo& debug) {
  std::string location = is_lifecycle(e.op) ? "" : debug.location(e);
  return std::string(op_name(e.op)) + (location.empty() ? "" : " of " + location) + " at " +
         debug.place(e).where();
}

}  // namespace rff
