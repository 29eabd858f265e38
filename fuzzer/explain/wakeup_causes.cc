#include "fuzzer/explain/wakeup_causes.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"

namespace rff {
namespace {

using Events = std::vector<trace::EventInfo>;

bool wakes(OpKind op) {
  return op == OpKind::kSignal || op == OpKind::kBroadcast || op == OpKind::kFutexWake;
}

bool begins_wait(OpKind op) { return op == OpKind::kWait || op == OpKind::kFutexWait; }

// Returns the step at which the thread began its current wait; 0 if it is not in the trace.
std::uint64_t began(const Trace& trace, const Trace::Wait& wait) {
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->thread == wait.info.thread && e->address == wait.info.object &&
        begins_wait(e->event.op)) {
      return e->step;
    }
  }
  return 0;
}

// Returns the threads that a signal woke.
std::set<std::uint32_t> woken_by(const Trace& trace, const trace::EventInfo& signal) {
  std::set<std::uint32_t> woken;
  for (const trace::EventInfo& e : trace.events) {
    bool woke = e.event.op == OpKind::kWake || e.event.op == OpKind::kFutexWait;
    if (woke && e.address == signal.address && (e.flags & trace::kReadsFromKnown) != 0 &&
        e.reads_from == signal.step) {
      woken.insert(e.thread);
    }
  }
  return woken;
}

bool takes_lock(const trace::EventInfo& e) {
  return e.event.op == OpKind::kLock && (e.flags & trace::kFailedFlag) == 0;
}

// Returns the locks that a thread holds just before an event.
std::set<std::uint64_t> held_at(const Events& events, std::size_t at, std::uint32_t thread) {
  std::map<std::uint64_t, int> held;
  for (std::size_t i = 0; i < at; ++i) {
    const trace::EventInfo& e = events[i];
    if (e.thread != thread) {
      continue;
    }
    if (takes_lock(e)) {
      ++held[e.address];
    } else if (e.event.op == OpKind::kUnlock) {
      --held[e.address];
    }
  }
  std::set<std::uint64_t> result;
  for (const auto& [lock, times] : held) {
    if (times > 0) {
      result.insert(lock);
    }
  }
  return result;
}

// Returns the last event before `at` by which a thread acquired or released a lock; `at` if there
// is none.
std::size_t last_of(const Events& events, std::size_t at, std::uint32_t thread, OpKind op) {
  for (std::size_t i = at; i-- > 0;) {
    if (events[i].thread == thread && events[i].event.op == op &&
        (events[i].flags & trace::kFailedFlag) == 0) {
      return i;
    }
  }
  return at;
}

bool overlap(const trace::EventInfo& a, const trace::EventInfo& b) {
  return a.address < b.address + b.event.size && b.address < a.address + a.event.size;
}

// Returns the last later write of another thread that changed the value of the read.
std::size_t changed_later(const Events& events, std::size_t read) {
  constexpr std::uint32_t kKnown = trace::kValueKnown;
  for (std::size_t i = events.size(); i-- > read + 1;) {
    const trace::EventInfo& e = events[i];
    bool writes = op_accesses(e.event.op) && e.event.writes() && overlap(e, events[read]);
    if (writes && e.thread != events[read].thread) {
      const trace::EventInfo& r = events[read];
      std::uint64_t seen = r.event.op == OpKind::kReadModifyWrite ? r.read_value : r.value;
      bool same = (e.flags & kKnown) != 0 && (r.flags & kKnown) != 0 && e.value == seen;
      return same ? 0 : i;
    }
  }
  return 0;
}

// Returns " without holding `m`", where `m` is the lock of the wait.
std::string unlocked_text(const Run& run, DebugInfo& debug, const MissedChange& change,
                          std::size_t event) {
  const Events& events = run.trace.events;
  const trace::EventInfo& lock = events[change.lock];
  if (change.lock == change.read ||
      held_at(events, event, events[event].thread).contains(lock.address)) {
    return "";
  }
  return " without holding " + debug.location(lock);
}

}  // namespace

bool waits_for_signal(const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  return op == OpKind::kWake || op == OpKind::kWait || op == OpKind::kFutexWait;
}

std::string lost_signal(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  if (!waits_for_signal(wait)) {
    return "";
  }
  const trace::EventInfo* last = nullptr;
  for (const trace::EventInfo& e : run.trace.events) {
    if (e.address == wait.info.object && wakes(e.event.op)) {
      last = &e;
    }
  }
  std::string object = waited_object(run.trace, debug, wait);
  std::string who = "thread " + run.trace.thread_name(wait.info.thread);
  if (last == nullptr) {
    return "nobody ever signalled " + object + ", on which " + who + " waits";
  }
  std::set<std::uint32_t> woken = woken_by(run.trace, *last);
  std::string signal = "the last signal on " + object + " (thread " +
                       run.trace.thread_name(last->thread) + " at " + debug.place(*last).where() +
                       ")";
  if (woken.contains(wait.info.thread)) {
    return signal + " ended an earlier wait of " + who;
  }
  std::string others =
      woken.empty() ? "" : "woke " + threads_text(run.trace, {woken.begin(), woken.end()});
  if (last->step < began(run.trace, wait)) {
    return signal + " came before " + who + " began to wait" +
           (others.empty() ? ": it was lost" : ", and " + others);
  }
  return signal + (others.empty() ? " did not wake " : " " + others + ", not ") + who;
}

std::vector<MissedChange> missed_changes(const Run& run) {
  std::vector<MissedChange> result;
  const Events& events = run.trace.events;
  if (run.finding.kind != FindingKind::kDeadlock) {
    return result;
  }
  for (const Trace::Wait& wait : run.trace.waits) {
    std::uint64_t step = waits_for_signal(wait) ? began(run.trace, wait) : 0;
    if (step == 0) {
      continue;
    }
    auto at = static_cast<std::size_t>(run.trace.at_step(step) - events.data());
    std::map<std::uint64_t, std::size_t> reads;  // the last read of each location
    std::size_t lock = last_of(events, at, wait.info.thread, OpKind::kLock);
    std::size_t unlock = last_of(events, at, wait.info.thread, OpKind::kUnlock);
    for (std::size_t i = unlock == at ? 0 : unlock; i < at; ++i) {
      if (events[i].thread == wait.info.thread && op_accesses(events[i].event.op) &&
          events[i].event.reads()) {
        reads[events[i].address] = i;
      }
    }
    for (const auto& [address, read] : reads) {
      if (std::size_t write = changed_later(events, read); write != 0) {
        result.push_back({read, write, lock == at ? read : lock});
      }
    }
  }
  return result;
}

std::vector<MissedChange> told_changes(const Run& run, DebugInfo& debug) {
  std::vector<MissedChange> result = missed_changes(run);
  auto in_library = [&](const MissedChange& c) {
    return debug.place(run.trace.events[c.read]).in_library();
  };
  if (!std::all_of(result.begin(), result.end(), in_library)) {
    std::erase_if(result, in_library);
  }
  return result;
}

std::string missed_change_text(const Run& run, DebugInfo& debug, const MissedChange& change) {
  const trace::EventInfo& r = run.trace.events[change.read];
  const trace::EventInfo& w = run.trace.events[change.write];
  Storyteller teller(run.trace, debug);
  StoryEvent read = teller.tell(r);
  StoryEvent write = teller.tell(w);
  const std::string& seen = r.event.op == OpKind::kReadModifyWrite ? read.read_value : read.value;
  return teller.thread(r.thread) + " had seen " + read.location +
         (seen.empty() ? "" : " = " + seen) + " at " + read.place.where() +
         unlocked_text(run, debug, change, change.read) + " before it waited; " +
         teller.thread(w.thread) + " changed it" +
         (write.value.empty() ? "" : " to " + write.value) + " at " + write.place.where() +
         unlocked_text(run, debug, change, change.write) + " only then";
}

}  // namespace rff
