#include "fuzzer/replay/causes.h"

#include <algorithm>
#include <map>

#include "fuzzer/replay/memory_causes.h"
#include "fuzzer/replay/story.h"

namespace rff {
namespace {

constexpr std::uint32_t kNobody = ~0u;

// The location of an object that is only known by its address: from any event that touched it.
std::string object_name(const Trace& trace, DebugInfo& debug, std::uint64_t address) {
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->address == address && !is_lifecycle(e->event.op)) {
      return debug.location(e->event);
    }
  }
  for (const Trace::Module& m : trace.modules) {
    if (address >= m.info.bias && address < m.info.end) {
      AbstractEvent e;
      e.place = LocationKind::kGlobal;
      e.base = m.info.hash;
      e.offset = address - m.info.bias;
      return debug.location(e);
    }
  }
  return "";
}

// A wait that nobody will end although nobody holds anything: did the signal come too early?
std::string lost_signal(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  if (op != OpKind::kWake && op != OpKind::kWait && op != OpKind::kFutexWait) {
    return "";
  }
  std::uint64_t began = 0;
  const trace::EventInfo* last = nullptr;
  for (const trace::EventInfo& e : run.trace.events) {
    if (e.address != wait.info.object) {
      continue;
    }
    bool wakes = e.event.op == OpKind::kSignal || e.event.op == OpKind::kBroadcast ||
                 e.event.op == OpKind::kFutexWake;
    if (wakes) {
      last = &e;
    } else if (e.thread == wait.info.thread) {
      began = e.step;
    }
  }
  std::string object = object_name(run.trace, debug, wait.info.object);
  std::string who = "thread " + run.trace.thread_name(wait.info.thread);
  if (last == nullptr) {
    return "nobody ever signals " + object + ", on which " + who + " waits";
  }
  std::string where = debug.place(last->event).where();
  std::string by = "thread " + run.trace.thread_name(last->thread) + " at " + where;
  return last->step < began
             ? "the last signal on " + object + " (" + by + ") came before " + who +
                   " began to wait: it was lost"
             : "the last signal on " + object + " (" + by + ") woke another thread, not " + who;
}

// What a thread of a hang does again and again, and whose value it sees there.
std::string repeated(const Run& run, DebugInfo& debug, const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  std::string text = "thread " + run.trace.thread_name(wait.info.thread) + " repeats " +
                     std::string(op_name(op)) + " of " + waited_object(run.trace, debug, wait) +
                     " in " + debug.place(op, wait.info.waits_at).text();
  for (auto e = run.trace.events.rbegin(); e != run.trace.events.rend(); ++e) {
    if (e->thread != wait.info.thread || e->address != wait.info.object ||
        e->event.op != OpKind::kRead || (e->flags & trace::kValueKnown) == 0) {
      continue;
    }
    Storyteller teller(run.trace, debug);
    StoryEvent s = teller.tell(*e);
    std::string source = s.from == From::kInitial ? std::string("nobody writes it")
                         : s.from == From::kUnseen
                             ? teller.source_text(s)
                             : "last written by thread " + run.trace.thread_name(s.from_thread) +
                                   " at " + s.from_place.where();
    return text + ", where it sees " + value_text(e->value, e->event.size) + " (" + source + ")";
  }
  return text;
}

std::vector<std::string> deadlock_causes(const Run& run, DebugInfo& debug) {
  std::vector<std::string> sentences;
  std::vector<std::uint32_t> cycle = waiting_cycle(run.trace);
  for (std::uint32_t t : cycle) {
    sentences.push_back("thread " + run.trace.thread_name(t) + " " +
                        wait_text(run.trace, debug, *run.trace.wait_of(t)));
  }
  if (!cycle.empty()) {
    return sentences;
  }
  for (const Trace::Wait& w : run.trace.waits) {
    std::string lost = lost_signal(run, debug, w);
    if (!lost.empty()) {
      sentences.push_back(lost);
    } else if (static_cast<OpKind>(w.info.op) != OpKind::kThreadJoin) {
      sentences.push_back("thread " + run.trace.thread_name(w.info.thread) + " " +
                          wait_text(run.trace, debug, w));
    }
  }
  return sentences;
}

}  // namespace

std::string waited_object(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  if (op == OpKind::kThreadJoin) {
    return wait.info.holder != kNobody ? "thread " + trace.thread_name(wait.info.holder)
                                       : "a thread";
  }
  return is_lifecycle(op) ? "" : object_name(trace, debug, wait.info.object);
}

std::string wait_text(const Trace& trace, DebugInfo& debug, const Trace::Wait& wait) {
  auto op = static_cast<OpKind>(wait.info.op);
  std::string where = debug.place(op, wait.info.waits_at).text();
  if (op == OpKind::kThreadJoin) {
    return "waits for " + waited_object(trace, debug, wait) + " to end, in " + where;
  }
  std::string kind = wait.text;
  for (std::string_view article : {"a ", "an ", "the "}) {
    if (kind.starts_with(article)) {
      kind.erase(0, article.size());
      break;
    }
  }
  std::string object = waited_object(trace, debug, wait);
  bool one_word = kind.find(' ') == std::string::npos;
  std::string text = "waits for " +
                     (object.empty() ? wait.text
                      : one_word     ? kind + " " + object
                                     : wait.text + " (" + object + ")") +
                     " in " + where;
  if (wait.info.holder == wait.info.thread) {
    text += ", which it holds itself";
  } else if (wait.info.holder != kNobody) {
    text += ", held by thread " + trace.thread_name(wait.info.holder);
  }
  if (wait.info.holder != kNobody && wait.info.held_since != CodeName{}) {
    text += " since " + debug.place(wait.info.held_since, DebugInfo::Code::kReturnAddress).where();
  }
  return text;
}

std::vector<std::uint32_t> waiting_cycle(const Trace& trace) {
  std::map<std::uint32_t, std::uint32_t> waits_for;
  for (const Trace::Wait& w : trace.waits) {
    if (w.info.blocked != 0 && w.info.holder != kNobody) {
      waits_for[w.info.thread] = w.info.holder;
    }
  }
  for (const auto& [start, unused] : waits_for) {
    std::vector<std::uint32_t> path;
    for (std::uint32_t at = start; waits_for.contains(at); at = waits_for[at]) {
      auto seen = std::find(path.begin(), path.end(), at);
      if (seen != path.end()) {
        return {seen, path.end()};
      }
      path.push_back(at);
    }
  }
  return {};
}

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
  return memory_causes(run, debug, thread);
}

}  // namespace rff
