#include "fuzzer/replay/explanation.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuzzer/replay/causes.h"
#include "fuzzer/replay/unwinder.h"

namespace rff {
namespace {

// What the runtime says of a crash, as a sentence.
std::string crash_text(const std::string& who, const std::string& summary,
                       const std::string& where) {
  auto between = [&](std::string_view begin, std::string_view end) {
    auto from = summary.find(begin);
    from = from == std::string::npos ? summary.size() : from + begin.size();
    return summary.substr(from, summary.find(end, from) - from);
  };
  if (!summary.starts_with("SIG")) {
    std::string exception = between("uncaught exception ", " at ");
    return who +
           (exception.empty() ? " calls abort in " : " does not catch " + exception + " in ") +
           where + ".";
  }
  std::string signal = summary.substr(0, summary.find(' '));
  if (summary.substr(signal.size()).starts_with(" (")) {
    std::size_t end = std::min(summary.find(") in "), summary.find(") at "));
    signal = summary.substr(0, end == std::string::npos ? end : end + 1);
  }
  if (std::string target = between(" by a call of ", " at "); !target.empty()) {
    return who + " gets " + signal + " in " + where + ": it called address " + target +
           ", which is no code.";
  }
  std::string address = between(", address ", "\n");
  return who + " gets " + signal + " in " + where +
         (address.empty() ? "" : ", accessing address " + address) + ".";
}

std::string headline(const Run& run, DebugInfo& debug) {
  const Finding& f = run.finding;
  auto kind = f.kind == FindingKind::kCrash ? DebugInfo::Code::kInstruction
                                            : DebugInfo::Code::kReturnAddress;
  std::string where = debug.place(f.place, kind).text();
  std::string who =
      run.trace.outcome ? "thread " + run.trace.thread_name(run.trace.outcome->thread) : "a thread";
  switch (f.kind) {
    case FindingKind::kAssert: {
      auto begin = f.summary.find('`');
      auto end = f.summary.rfind('\'');
      std::string condition = begin != std::string::npos && end > begin
                                  ? " `" + f.summary.substr(begin + 1, end - begin - 1) + "`"
                                  : std::string();
      return who + " fails the assertion" + condition + " in " + where + ".";
    }
    case FindingKind::kCrash: return crash_text(who, f.summary, where);
    case FindingKind::kDeadlock: {
      std::size_t waiting = run.trace.waits.size();
      return "deadlock: " +
             (waiting == 1
                  ? std::string("the only live thread waits")
                  : (waiting == 2 ? std::string("both") : "all " + std::to_string(waiting)) +
                        " live threads wait") +
             " for something that will not happen.";
    }
    case FindingKind::kHang:
      return "hang: the threads go on without getting anywhere, first in " + where + ".";
    case FindingKind::kExit:
      return who + " ends the program with " + f.summary + " in " + where + ".";
    default:
      return run.gave_up() ? "the program went on without an end and was stopped after " +
                                 std::to_string(run.events) + " events."
                           : f.summary;
  }
}

std::string state_text(const Run& run, DebugInfo& debug, const Trace::Wait* wait,
                       bool failed_here) {
  if (failed_here && run.finding.kind != FindingKind::kDeadlock &&
      run.finding.kind != FindingKind::kHang) {
    return "failed here";
  }
  if (wait == nullptr) {
    return "was running";
  }
  auto op = static_cast<OpKind>(wait->info.op);
  std::string what = waited_object(run.trace, debug, *wait);
  if (wait->info.blocked == 0) {
    if (op == OpKind::kThreadStart) {
      return "has not started yet";
    }
    std::string where = debug.place(op, wait->info.waits_at).where();
    std::string pending = verb(op) + (what.empty() ? "" : " " + what);
    return "could go on: next it " + pending + " at " + where;
  }
  return wait_text(run.trace, debug, *wait);
}

// What a reader needs to follow the failure: values that went from thread to thread, values that
// were read before somebody else wrote them, and the steps around each switch.
std::vector<StoryEvent> choose_events(const Run& run, Storyteller& teller) {
  const auto& events = run.trace.events;
  bool blocked = run.finding.kind == FindingKind::kDeadlock;
  // Who writes a word, to tell initial values that somebody else writes, too.
  std::map<std::uint64_t, std::set<std::uint32_t>> writers;
  auto note_writer = [&](std::uint64_t address, std::uint32_t thread) {
    writers[address / 8].insert(thread);
  };
  for (const trace::EventInfo& e : events) {
    if (e.event.writes() && e.address != 0) {
      note_writer(e.address, e.thread);
    }
  }
  for (const Trace::Wait& w : run.trace.waits) {
    if (op_writes(static_cast<OpKind>(w.info.op))) {
      note_writer(w.info.object, w.info.thread);
    }
  }
  std::vector<StoryEvent> all;
  std::set<std::size_t> chosen;
  auto others_write = [&](const trace::EventInfo& read) {
    auto it = writers.find(read.address / 8);
    return it != writers.end() && (it->second.size() > 1 || !it->second.contains(read.thread));
  };
  std::set<std::pair<std::uint64_t, std::uint32_t>> init_seen;
  for (std::size_t i = 0; i < events.size(); ++i) {
    all.push_back(teller.tell(events[i]));
    const StoryEvent& e = all.back();
    if (is_lifecycle(e.event.op)) {
      continue;
    }
    if (e.from == From::kOtherThread) {
      chosen.insert(i);
      if (const trace::EventInfo* source = run.trace.at_step(e.from_step)) {
        chosen.insert(static_cast<std::size_t>(source - events.data()));
      }
    } else if (e.from == From::kInitial && is_memory_access(e.event.op) &&
               init_seen.insert({e.address, e.thread}).second && others_write(events[i])) {
      chosen.insert(i);
    }
    if (blocked && !is_memory_access(e.event.op) && e.address != 0) {
      chosen.insert(i);  // who took what, in which order
    }
    if (e.preempted && e.switched) {
      chosen.insert(i);
      if (i > 0 && !is_lifecycle(all[i - 1].event.op)) {
        chosen.insert(i - 1);
      }
    }
  }
  std::vector<StoryEvent> story;
  std::size_t before = 0;
  for (std::size_t i : chosen) {
    StoryEvent e = all[i];
    if (!story.empty() && story.back().thread != e.thread) {
      // Between the two there may be events that are not told: what matters is whether the first
      // thread was stopped.
      std::size_t left = before + 1;
      while (all[left].thread == story.back().thread) {
        ++left;
      }
      e.switched = true;
      e.preempted = all[left].preempted;
      e.previous = story.back().thread;
      e.switch_step = all[left].step;
    }
    e.left_out = story.empty() ? 0 : i - before - 1;
    story.push_back(std::move(e));
    before = i;
  }
  return story;
}

}  // namespace

void add_modules(const Run& run, DebugInfo& debug) {
  for (const Trace::Module& m : run.trace.modules) {
    debug.add_module(m.info.hash, m.path);
  }
}

Explanation explain(const Run& run, DebugInfo& debug) {
  Explanation x;
  Storyteller teller(run.trace, debug);
  Unwinder unwinder(run.trace, debug);
  x.headline = headline(run, debug);
  x.causes = find_causes(run, debug);
  for (const Trace::Stack& stack : run.trace.stacks) {
    ThreadReport t;
    t.index = stack.registers.thread;
    t.name = run.trace.thread_name(t.index);
    t.failed_here = run.failed() && run.trace.outcome && run.trace.outcome->thread == t.index;
    if (t.index < run.trace.threads.size() && t.index != 0) {
      t.created_at =
          debug.place(run.trace.threads[t.index].info.created_at, DebugInfo::Code::kReturnAddress);
    }
    t.state = state_text(run, debug, run.trace.wait_of(t.index), t.failed_here);
    for (const Frame& f : unwinder.unwind(stack)) {
      auto kind = f.exact ? DebugInfo::Code::kInstruction : DebugInfo::Code::kReturnAddress;
      for (const Place& p : debug.inlined(f.code, kind)) {
        t.frames.push_back(p);
      }
      if (t.index == 0 && t.frames.back().function == "main") {
        break;  // what comes before is the C library's
      }
    }
    x.threads.push_back(std::move(t));
  }
  std::stable_partition(x.threads.begin(), x.threads.end(),
                        [](const ThreadReport& t) { return t.failed_here; });
  x.ended_threads = run.trace.threads.size() - std::min(run.trace.threads.size(), x.threads.size());
  x.story = choose_events(run, teller);
  return x;
}

}  // namespace rff
