#include "fuzzer/explain/waits.h"

#include <algorithm>
#include <map>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/explain/story.h"

namespace rff {
namespace {

// Names an object that is only known by its address, from any event that touched it.
std::string object_name(const Trace& trace, DebugInfo& debug, std::uint64_t address) {
  if (address == 0) {
    return "";
  }
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->address == address && !is_lifecycle(e->event.op)) {
      return debug.location(*e);
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

struct Reader {
  std::uint32_t thread;
  CodeName since;
};

// Returns all readers that hold a read-write lock; the wait itself names only one.
std::vector<Reader> readers_of(const Trace& trace, std::uint64_t lock) {
  std::vector<Reader> readers;
  for (const trace::EventInfo& e : trace.events) {
    if (e.address != lock) {
      continue;
    }
    if (e.event.op == OpKind::kReadLock) {
      readers.push_back({e.thread, e.event.site});
    } else if (e.event.op == OpKind::kReadUnlock) {
      auto own = std::find_if(readers.begin(), readers.end(),
                              [&](const Reader& r) { return r.thread == e.thread; });
      if (own != readers.end()) {
        readers.erase(own);
      }
    }
  }
  return readers;
}

std::string holder_text(const Trace& trace, DebugInfo& debug, const trace::WaitInfo& wait) {
  auto since = [&](CodeName site, std::uint32_t holder) {
    return site == CodeName{} ? ""
                              : " since " + debug.held_place(holder, wait.object, site).where();
  };
  std::vector<Reader> readers = readers_of(trace, wait.object);
  auto named = std::find_if(readers.begin(), readers.end(),
                            [&](const Reader& r) { return r.thread == wait.holder; });
  if (named == readers.end()) {
    return (wait.holder == wait.thread ? ", which it holds itself"
                                       : ", held by thread " + trace.thread_name(wait.holder)) +
           since(wait.held_since, wait.holder);
  }
  if (readers.size() == 1) {
    return (wait.holder == wait.thread ? std::string(", which it holds itself")
                                       : ", held by thread " + trace.thread_name(wait.holder)) +
           " for reading" + since(named->since, named->thread);
  }
  std::vector<std::string> parts;
  for (const Reader& r : readers) {
    parts.push_back((r.thread == wait.thread ? "itself" : "thread " + trace.thread_name(r.thread)) +
                    since(r.since, r.thread));
  }
  return ", held for reading by " + join(parts);
}

}  // namespace

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string threads_text(const Trace& trace, const std::vector<std::uint32_t>& threads) {
  std::vector<std::string> names;
  for (std::uint32_t t : threads) {
    names.push_back(trace.thread_name(t));
  }
  return (threads.size() == 1 ? "thread " : "threads ") + join(names);
}

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
  std::string where = debug.wait_place(wait.info.thread, op, wait.info.waits_at).text();
  std::string object = waited_object(trace, debug, wait);
  if (op == OpKind::kThreadJoin) {
    return "waits for " + object + " to end, in " + where;
  }
  std::string what = wait_words(wait.object(), object);
  std::string more;
  if (wait.info.holder != kNobody) {
    more = holder_text(trace, debug, wait.info);
  } else if (wait.info.held_since != CodeName{}) {
    more = ", over what was made in " +
           debug.place(wait.info.held_since, DebugInfo::Code::kReturnAddress).text();
  }
  return "waits for " + what + (what.find(", ") == std::string::npos ? " in " : ", in ") + where +
         more;
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

}  // namespace rff
