#include "fuzzer/explain/memory_causes.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <map>

#include "fuzzer/explain/lost_updates.h"
#include "fuzzer/explain/story.h"
#include "fuzzer/explain/waits.h"

namespace rff {
namespace {

// Returns the wait of the thread that is about to write the location whose initial value was read.
const Trace::Wait* next_writer(const Trace& trace, const StoryEvent& read) {
  for (const Trace::Wait& w : trace.waits) {
    if (w.info.blocked == 0 && w.info.thread != read.thread && w.info.object == read.address &&
        op_accesses(static_cast<OpKind>(w.info.op)) && op_writes(static_cast<OpKind>(w.info.op))) {
      return &w;
    }
  }
  return nullptr;
}

std::string initial_text(const Run& run, DebugInfo& debug, const StoryEvent& read) {
  const Trace::Wait* writer = next_writer(run.trace, read);
  return "its initial value: " +
         (writer == nullptr
              ? std::string("nobody had written it since threads began")
              : "thread " + run.trace.thread_name(writer->info.thread) +
                    " is only about to write it at " +
                    debug.place(static_cast<OpKind>(writer->info.op), writer->info.waits_at)
                        .where());
}

// Returns the last reads of shared locations by the failing thread, as far as they are in one
// function.
std::vector<StoryEvent> last_reads(const Run& run, DebugInfo& debug, std::uint32_t thread) {
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kLookBack = 100;
  Storyteller teller(run.trace, debug);
  std::vector<StoryEvent> reads;
  std::string function;
  std::size_t looked = 0;
  for (auto e = run.trace.events.rbegin();
       e != run.trace.events.rend() && reads.size() < kMost && looked < kLookBack; ++e) {
    if (e->thread != thread || !op_accesses(e->event.op)) {
      continue;
    }
    ++looked;
    StoryEvent s = teller.tell(*e);
    if (function.empty()) {
      function = s.place.function;
    }
    if (s.place.function != function) {
      break;
    }
    if (run.trace.memory_error && e->step == run.trace.memory_error->facts.step) {
      continue;  // the headline tells it
    }
    bool known = std::any_of(reads.begin(), reads.end(),
                             [&](const StoryEvent& r) { return r.address == s.address; });
    // The initial value of a local was passed to the thread itself.
    bool told = s.from == From::kOtherThread ||
                (s.from == From::kInitial && e->event.place != LocationKind::kStack);
    if (e->event.reads() && !known && told) {
      reads.push_back(s);
    }
  }
  std::reverse(reads.begin(), reads.end());
  return reads;
}

std::vector<std::string> read_values(const Run& run, DebugInfo& debug,
                                     const std::vector<StoryEvent>& reads) {
  std::vector<std::string> parts;
  for (const StoryEvent& s : reads) {
    const std::string& value = s.event.op == OpKind::kReadModifyWrite ? s.read_value : s.value;
    std::string what = s.location + (value.empty() ? "" : " = " + value);
    std::string source = s.from == From::kInitial
                             ? " (" + initial_text(run, debug, s) + ")"
                             : std::string(s.from_op == OpKind::kFree ? " (freed" : " (written") +
                                   " by thread " + run.trace.thread_name(s.from_thread) + " at " +
                                   s.from_place.where() + ")";
    parts.push_back(what + source + " at " + s.place.where());
  }
  return parts;
}

// Returns the event that freed the block in which `e` found its value. A reallocated block has
// another name and does not match.
const trace::EventInfo* freed_before(const Trace& trace, const trace::EventInfo& e) {
  if (e.event.place != LocationKind::kHeap) {
    return nullptr;
  }
  const trace::EventInfo* freed = nullptr;
  for (auto other = trace.events.rbegin(); other != trace.events.rend(); ++other) {
    if (other->step >= e.step) {
      continue;
    }
    if (freed == nullptr && other->event.op == OpKind::kFree && e.address >= other->address &&
        e.address - other->address < other->event.size) {
      freed = &*other;
    }
    if (freed != nullptr && other->address == e.address) {
      return other->exact_name == e.exact_name ? freed : nullptr;
    }
  }
  return nullptr;
}

std::string freed_text(const Run& run, DebugInfo& debug, const trace::EventInfo& e) {
  const trace::EventInfo* freed = freed_before(run.trace, e);
  return freed == nullptr ? ""
                          : ", a block that thread " + run.trace.thread_name(freed->thread) +
                                " had freed at " + debug.place(*freed).where();
}

// Describes the last double free.
std::string freed_twice(const Run& run, DebugInfo& debug) {
  std::map<std::uint64_t, const trace::EventInfo*> last;
  std::string text;
  for (const trace::EventInfo& e : run.trace.events) {
    if (e.event.op != OpKind::kFree) {
      continue;
    }
    const trace::EventInfo*& before = last[e.address];
    if (before != nullptr && before->exact_name == e.exact_name) {
      auto by = [&](const trace::EventInfo& f) {
        return "by thread " + run.trace.thread_name(f.thread) + " at " + debug.place(f).where();
      };
      text = debug.location(e) + " was freed twice, " + by(*before) + " and " + by(e);
    }
    before = &e;
  }
  return text;
}

// Describes the last write into a freed block. A reallocated block has another name.
std::string written_after_free(const Run& run, DebugInfo& debug) {
  std::map<std::uint64_t, const trace::EventInfo*> freed;  // by first address of the block
  std::map<std::uint64_t, std::uint64_t> names;            // address → name of the block there
  const trace::EventInfo *write = nullptr, *before = nullptr;
  for (const trace::EventInfo& e : run.trace.events) {
    if (e.event.op == OpKind::kFree) {
      freed[e.address] = &e;
    } else if (e.event.place == LocationKind::kHeap) {
      auto block = freed.upper_bound(e.address);
      bool inside = block != freed.begin() &&
                    e.address - std::prev(block)->first < std::prev(block)->second->event.size;
      auto known = names.find(e.address);
      if (e.event.writes() && inside && known != names.end() && known->second == e.exact_name) {
        write = &e;
        before = std::prev(block)->second;
      }
      names[e.address] = e.exact_name;
    }
  }
  return write == nullptr
             ? ""
             : debug.location(*write) + " was written by thread " +
                   run.trace.thread_name(write->thread) + " at " + debug.place(*write).where() +
                   ", after thread " + run.trace.thread_name(before->thread) + " had freed it at " +
                   debug.place(*before).where();
}

// If the crash address is close to a value that was read as a pointer, that pointer is the cause.
std::string bad_pointer(const Run& run, DebugInfo& debug, std::uint32_t thread,
                        std::uint64_t fault) {
  constexpr std::uint64_t kNear = 4096;
  // Small numbers are close to the address that a null pointer leads to, but are not pointers.
  auto pointer = [](std::uint64_t value) { return value == 0 || value >= kNear; };
  Storyteller teller(run.trace, debug);
  for (auto e = run.trace.events.rbegin(); e != run.trace.events.rend(); ++e) {
    if (e->thread != thread || e->event.op != OpKind::kRead || e->event.size != 8 ||
        (e->flags & trace::kValueKnown) == 0 || fault < e->value || fault - e->value >= kNear ||
        !pointer(e->value)) {
      continue;
    }
    StoryEvent s = teller.tell(*e);
    std::string value = e->value == 0 ? "null" : value_text(e->value, 8);
    std::string text = "the pointer came from " + debug.location(*e) + freed_text(run, debug, *e) +
                       ", read at " + s.place.where() + " as " + value;
    if (s.from_op == OpKind::kFree) {
      return text;
    }
    std::string source =
        s.from == From::kInitial ? initial_text(run, debug, s) : teller.source_text(s);
    return text + (s.from == From::kOtherThread
                       ? ", which thread " + run.trace.thread_name(s.from_thread) +
                             " had written at " + s.from_place.where()
                       : (source.empty() ? "" : " (" + source + ")"));
  }
  return "";
}

}  // namespace

std::vector<std::string> memory_causes(const Run& run, DebugInfo& debug, std::uint32_t thread) {
  std::vector<std::string> sentences;
  if (run.finding.kind == FindingKind::kCrash) {
    const FailureFacts& facts = run.trace.outcome->failure;
    bool has_address = facts.signal == SIGSEGV || facts.signal == SIGBUS;
    for (const std::string& text :
         {freed_twice(run, debug), written_after_free(run, debug),
          has_address ? bad_pointer(run, debug, thread, facts.address) : ""}) {
      if (!text.empty()) {
        sentences.push_back(text);
      }
    }
  }
  std::vector<StoryEvent> reads = last_reads(run, debug, thread);
  if (sentences.empty() && !reads.empty()) {
    sentences.push_back("thread " + run.trace.thread_name(thread) + " had read " +
                        join(read_values(run, debug, reads)));
    for (const StoryEvent& read : reads) {
      if (auto lost = lost_update(run.trace, *run.trace.at_step(read.step))) {
        sentences.push_back(lost_update_text(run, debug, *lost));
      }
    }
  }
  return sentences;
}

}  // namespace rff
