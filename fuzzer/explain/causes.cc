#include "fuzzer/explain/causes.h"

#include <set>

#include "fuzzer/explain/memory_causes.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"
#include "fuzzer/explain/wakeup_causes.h"

namespace rff {
namespace {

// Returns the read whose value a hanging thread waits to change: a read of the object at its
// position, or its last read if it only lets time pass there.
const trace::EventInfo* repeated_read(const Trace& trace, const Trace::Wait& wait, bool passes) {
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->thread == wait.info.thread && (passes || e->address == wait.info.object) &&
        e->event.op == OpKind::kRead && (e->flags & trace::kValueKnown) != 0) {
      return &*e;
    }
  }
  return nullptr;
}

// Describes what a hanging thread repeats, and the write whose value it reads.
std::string repeated(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  bool passes = op == OpKind::kSleep || op == OpKind::kYield;
  const trace::EventInfo* read = repeated_read(run.trace, wait, passes);
  std::string text = "thread " + run.trace.thread_name(wait.info.thread) + " repeats ";
  std::string place = debug.wait_place(wait.info.thread, op, wait.info.waits_at).text();
  if (!passes) {
    text +=
        std::string(op_name(op)) + " of " + waited_object(run.trace, debug, wait) + " in " + place;
  } else if (read != nullptr) {
    text += "read of " + debug.location(*read) + " in " + debug.place(*read).text();
  } else {
    text += std::string(op_name(op)) + " in " + place;
  }
  if (read == nullptr) {
    return text;
  }
  Storyteller teller(run.trace, debug);
  StoryEvent s = teller.tell(*read);
  std::string source = s.from == From::kInitial ? std::string("nobody writes it")
                       : s.from == From::kUnseen
                           ? teller.source_text(s)
                           : "last written by thread " + run.trace.thread_name(s.from_thread) +
                                 " at " + s.from_place.where();
  return text + ", where it sees " + value_text(read->value, read->event.size) + " (" + source +
         ")";
}

// Returns the last event of that kind on the object, by any thread.
const trace::EventInfo* last_event(const Trace& trace, std::uint64_t object, OpKind op) {
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->address == object && e->event.op == op && (e->flags & trace::kFailedFlag) == 0) {
      return &*e;
    }
  }
  return nullptr;
}

// A semaphore has no holder; names the thread that decremented it last.
std::string semaphore_cause(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  auto by = [&](const trace::EventInfo& e, const char* did) {
    return "thread " + run.trace.thread_name(e.thread) + " " + did + " last, at " +
           debug.place(e).where();
  };
  const trace::EventInfo* taken = last_event(run.trace, wait.info.object, OpKind::kSemaphoreWait);
  const trace::EventInfo* posted = last_event(run.trace, wait.info.object, OpKind::kSemaphorePost);
  return wait_text(run.trace, debug, wait) + "; " +
         (posted != nullptr ? by(*posted, "posted it") : "nobody ever posted it") +
         (taken != nullptr ? ", and " + by(*taken, "took from it") : "");
}

// Names the threads that wait at the barrier and those that will not reach it.
std::string barrier_cause(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  std::vector<std::uint32_t> there;
  for (const Trace::Wait& w : run.trace.waits) {
    if (w.info.object == wait.info.object && w.object() == wait.object()) {
      there.push_back(w.info.thread);
    }
  }
  std::string object = waited_object(run.trace, debug, wait);
  return (there.size() == 1 ? "only " : "") + threads_text(run.trace, there) +
         (there.size() == 1 ? " has" : " have") + " come to barrier " + object + " (" +
         debug.wait_place(wait.info.thread, static_cast<OpKind>(wait.info.op), wait.info.waits_at)
             .where() +
         "), which waits for more, and nobody else will come";
}

std::vector<std::string> deadlock_causes(const Run& run, DebugInfo& debug) {
  std::vector<std::string> sentences;
  auto waits = [&](const Trace::Wait& w) {
    return "thread " + run.trace.thread_name(w.info.thread) + " " + wait_text(run.trace, debug, w);
  };
  std::vector<std::uint32_t> cycle = waiting_cycle(run.trace);
  for (std::uint32_t t : cycle) {
    sentences.push_back(waits(*run.trace.wait_of(t)));
  }
  if (!cycle.empty()) {
    return sentences;
  }
  std::set<std::uint64_t> barriers;
  for (const Trace::Wait& w : run.trace.waits) {
    auto op = static_cast<OpKind>(w.info.op);
    if (w.object() == WaitObject::kBarrier) {
      if (barriers.insert(w.info.object).second) {
        sentences.push_back(barrier_cause(run, debug, w));
      }
    } else if (op == OpKind::kSemaphoreWait) {
      sentences.push_back("thread " + run.trace.thread_name(w.info.thread) + " " +
                          semaphore_cause(run, debug, w));
    } else if (std::string lost = lost_signal(run, debug, w); !lost.empty()) {
      sentences.push_back(lost);
    } else if (op != OpKind::kThreadJoin) {
      sentences.push_back(waits(w));
    }
  }
  for (const MissedChange& change : told_changes(run, debug)) {
    sentences.push_back(missed_change_text(run, debug, change));
  }
  if (sentences.empty()) {
    for (const Trace::Wait& w : run.trace.waits) {
      sentences.push_back(waits(w));
    }
  }
  return sentences;
}

// Explains a failure while the program ended: no thread had joined the failing thread.
std::string ended_meanwhile(const Run& run, DebugInfo& debug, std::uint32_t failed) {
  for (const trace::EventInfo& e : run.trace.events) {
    if (e.event.op == OpKind::kExit && e.thread != failed) {
      return "thread " + run.trace.thread_name(e.thread) + " had begun to end the program, at " +
             debug.place(e).where() + ", while thread " + run.trace.thread_name(failed) +
             " still ran";
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> find_causes(const Run& run, DebugInfo& debug) {
  if (!run.failed() || !run.trace.outcome) {
    return {};
  }
  std::uint32_t thread = run.trace.outcome->thread;
  std::vector<std::string> sentences;
  switch (run.finding.kind) {
    case FindingKind::kDeadlock: return deadlock_causes(run, debug);
    case FindingKind::kHang:
      for (const Trace::Wait& w : run.trace.waits) {
        if (w.info.blocked == 0) {
          sentences.push_back(repeated(run, debug, w));
        }
      }
      return sentences;
    default: break;
  }
  sentences = memory_causes(run, debug, thread);
  if (std::string ended = ended_meanwhile(run, debug, thread); !ended.empty()) {
    sentences.push_back(ended);
  }
  return sentences;
}

}  // namespace rff
