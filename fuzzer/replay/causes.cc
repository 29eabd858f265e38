#include "fuzzer/replay/causes.h"

#include <algorithm>
#include <csignal>
#include <map>

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

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

// What the failing thread had read shortly before: the last values of shared locations, as far as
// they are from one function.
std::vector<std::string> read_values(const Run& run, DebugInfo& debug, std::uint32_t thread) {
  constexpr std::size_t kMost = 4;
  Storyteller teller(run.trace, debug);
  std::vector<StoryEvent> reads;
  std::string function;
  for (auto e = run.trace.events.rbegin(); e != run.trace.events.rend() && reads.size() < kMost;
       ++e) {
    if (e->thread != thread || !is_memory_access(e->event.op)) {
      continue;
    }
    StoryEvent s = teller.tell(*e);
    if (function.empty()) {
      function = s.place.function;
    }
    if (s.place.function != function) {
      break;
    }
    bool known = std::any_of(reads.begin(), reads.end(),
                             [&](const StoryEvent& r) { return r.address == s.address; });
    if (e->event.reads() && !known && (s.from == From::kOtherThread || s.from == From::kInitial)) {
      reads.push_back(s);
    }
  }
  std::reverse(reads.begin(), reads.end());
  std::vector<std::string> parts;
  for (const StoryEvent& s : reads) {
    std::string what = s.what.substr(s.what.find(' ') + 1);
    std::string source = s.from == From::kInitial
                             ? " (its initial value: nobody had written it yet)"
                             : " (written by thread " + run.trace.thread_name(s.from_thread) +
                                   " at " + s.from_place.where() + ")";
    parts.push_back(what + source + " at " + s.place.where());
  }
  return parts;
}

// A crash at an address close to a value that was read as a pointer: that pointer is the reason.
std::string bad_pointer(const Run& run, DebugInfo& debug, std::uint32_t thread,
                        std::uint64_t fault) {
  constexpr std::uint64_t kNear = 4096;
  Storyteller teller(run.trace, debug);
  for (auto e = run.trace.events.rbegin(); e != run.trace.events.rend(); ++e) {
    if (e->thread != thread || e->event.op != OpKind::kRead || e->event.size != 8 ||
        (e->flags & trace::kValueKnown) == 0 || fault < e->value || fault - e->value >= kNear) {
      continue;
    }
    StoryEvent s = teller.tell(*e);
    std::string source = teller.source_text(s);
    return "the pointer came from " + debug.location(e->event) + ", read at " + s.place.where() +
           " as " + (e->value == 0 ? "null" : value_text(e->value, 8)) +
           (s.from == From::kOtherThread
                ? ", which thread " + run.trace.thread_name(s.from_thread) + " had written at " +
                      s.from_place.where()
                : (source.empty() ? "" : " (" + source + ")"));
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
          sentences.push_back("thread " + run.trace.thread_name(w.info.thread) + " repeats " +
                              std::string(op_name(static_cast<OpKind>(w.info.op))) + " of " +
                              waited_object(run.trace, debug, w) + " in " +
                              debug.place(static_cast<OpKind>(w.info.op), w.info.waits_at).text());
        }
      }
      return sentences;
    case FindingKind::kCrash: {
      bool has_address =
          run.trace.outcome->signal == SIGSEGV || run.trace.outcome->signal == SIGBUS;
      std::string pointer =
          has_address ? bad_pointer(run, debug, thread, run.trace.outcome->address) : "";
      if (!pointer.empty()) {
        return {pointer};
      }
      break;
    }
    default: break;
  }
  std::vector<std::string> values = read_values(run, debug, thread);
  if (!values.empty()) {
    sentences.push_back("thread " + run.trace.thread_name(thread) + " had read " + join(values));
  }
  return sentences;
}

}  // namespace rff
