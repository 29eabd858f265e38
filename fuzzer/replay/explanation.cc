#include "fuzzer/replay/explanation.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuzzer/replay/causes.h"
#include "fuzzer/replay/repeats.h"
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
    std::string exception = between("uncaught exception ", "\n");
    return who +
           (exception.empty() ? " calls abort in " : " does not catch " + exception + " in ") +
           where + ".";
  }
  std::string signal = summary.substr(0, summary.find_first_of(" ,"));
  if (summary.substr(signal.size()).starts_with(" (")) {
    std::size_t end = std::min({summary.find(") in "), summary.find("), "), summary.rfind(')')});
    signal = summary.substr(0, end + 1);
  }
  if (std::string target = between(" by a call of ", "\n"); !target.empty()) {
    return who + " gets " + signal + " in " + where + ": it called address " + target +
           ", which is no code.";
  }
  std::string address = between(", address ", "\n");
  return who + " gets " + signal + " in " + where +
         (address.empty() ? "" : ", accessing address " + address) + ".";
}

std::string headline(const Run& run, DebugInfo& debug, bool in_program) {
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
    case FindingKind::kCrash:
      return crash_text(who, f.summary,
                        in_program ? where
                                   : "the C library, with no function of the program on the stack "
                                     "(as where a thread ends)");
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

// Blocks that one thread gave back and another used later.
void add_fatal_frees(const std::vector<trace::EventInfo>& events, std::set<std::size_t>& chosen) {
  std::map<std::uint64_t, std::pair<std::uint32_t, std::size_t>> later;  // the last use: by whom
  for (std::size_t i = events.size(); i-- > 0;) {
    const trace::EventInfo& e = events[i];
    if (e.event.op != OpKind::kFree) {
      later.try_emplace(e.address, e.thread, i);
      continue;
    }
    for (auto use = later.lower_bound(e.address);
         use != later.end() && use->first < e.address + e.event.size; ++use) {
      if (use->second.first != e.thread) {
        chosen.insert({i, use->second.second});
      }
    }
  }
}

// What a reader needs to follow the failure: values that went from thread to thread, values that
// were read before somebody else wrote them, and the steps around each switch.
std::vector<std::size_t> choose_events(const Run& run, Storyteller& teller) {
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
  std::set<std::size_t> chosen;
  auto others_write = [&](const trace::EventInfo& read) {
    auto it = writers.find(read.address / 8);
    return it != writers.end() && (it->second.size() > 1 || !it->second.contains(read.thread));
  };
  std::set<std::pair<std::uint64_t, std::uint32_t>> init_seen;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_lifecycle(events[i].event.op)) {
      continue;
    }
    StoryEvent e = teller.outline(events[i]);
    if (e.from == From::kOtherThread) {
      chosen.insert(i);
      if (const trace::EventInfo* source = run.trace.at_step(e.from_step)) {
        chosen.insert(static_cast<std::size_t>(source - events.data()));
      }
    } else if (e.from == From::kInitial && op_accesses(e.event.op) &&
               init_seen.insert({e.address, e.thread}).second && others_write(events[i])) {
      chosen.insert(i);
    }
    if (blocked && !op_accesses(e.event.op) && e.address != 0) {
      chosen.insert(i);  // who took what, in which order
    }
    if (e.preempted && e.switched) {
      chosen.insert(i);
      if (i > 0 && !is_lifecycle(events[i - 1].event.op)) {
        chosen.insert(i - 1);
      }
    }
  }
  if (run.finding.kind == FindingKind::kCrash) {
    add_fatal_frees(events, chosen);
  }
  return {chosen.begin(), chosen.end()};
}

// Whether a reader would see the same line.
bool same_line(const trace::EventInfo& a, const trace::EventInfo& b) {
  return a.thread == b.thread && a.event.id() == b.event.id() && a.address == b.address &&
         a.value == b.value && a.source_site == b.source_site &&
         a.source_thread == b.source_thread &&
         (a.flags & ~trace::kSchedulingPoint) == (b.flags & ~trace::kSchedulingPoint);
}

std::vector<StoryEvent> tell_story(const Run& run, Storyteller& teller) {
  const auto& events = run.trace.events;
  std::vector<std::size_t> chosen = choose_events(run, teller);
  std::vector<Repeat> repeats = find_repeats(chosen.size(), [&](std::size_t i, std::size_t j) {
    return same_line(events[chosen[i]], events[chosen[j]]);
  });
  auto repeat = repeats.begin();
  std::vector<StoryEvent> story;
  std::size_t before = 0;
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    StoryEvent e = teller.tell(events[chosen[n]]);
    if (!story.empty() && story.back().thread != e.thread) {
      // Between the two there may be events that are not told: what matters is whether the first
      // thread was stopped.
      std::size_t left = before + 1;
      while (events[left].thread == story.back().thread) {
        ++left;
      }
      StoryEvent first = teller.outline(events[left]);
      e.switched = true;
      e.preempted = first.preempted;
      e.previous = story.back().thread;
      e.switch_step = first.step;
    }
    e.left_out = story.empty() ? 0 : chosen[n] - before - 1;
    if (repeat != repeats.end() && n + 1 == repeat->begin + repeat->length) {
      e.repeated_lines = repeat->length;
      e.repeated_times = repeat->times;
      n = repeat->end() - 1;
      ++repeat;
    }
    before = chosen[n];
    story.push_back(std::move(e));
  }
  return story;
}

}  // namespace

std::vector<Repeat> repeated_frames(const std::vector<Place>& frames) {
  return find_repeats(frames.size(), [&](std::size_t i, std::size_t j) {
    return frames[i].module == frames[j].module && frames[i].offset == frames[j].offset &&
           frames[i].function == frames[j].function && frames[i].line == frames[j].line;
  });
}

std::string repeat_text(const Repeat& repeat, std::size_t frames) {
  return (repeat.length == 1 ? std::string("this frame")
                             : "these " + std::to_string(repeat.length) + " frames") +
         " again, " + std::to_string(repeat.times) +
         (repeat.end() == frames ? " times and further (no more was recorded)" : " times");
}

void add_modules(const Run& run, DebugInfo& debug) {
  for (const Trace::Module& m : run.trace.modules) {
    debug.add_module(m.info.hash, m.path);
  }
}

Explanation explain(const Run& run, DebugInfo& debug) {
  Explanation x;
  Storyteller teller(run.trace, debug);
  Unwinder unwinder(run.trace, debug);
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
      if (t.index == 0 && t.frames.back().function.starts_with("__libc_start_")) {
        t.frames.pop_back();  // called by it: main, without a name
        break;
      }
    }
    x.threads.push_back(std::move(t));
  }
  bool in_program = std::none_of(x.threads.begin(), x.threads.end(), [](const ThreadReport& t) {
    return t.failed_here && t.frames.empty();
  });
  x.headline = headline(run, debug, in_program);
  std::stable_partition(x.threads.begin(), x.threads.end(),
                        [](const ThreadReport& t) { return t.failed_here; });
  x.ended_threads = run.trace.threads.size() - std::min(run.trace.threads.size(), x.threads.size());
  x.story = tell_story(run, teller);
  return x;
}

}  // namespace rff
