#include "fuzzer/explain/story.h"

#include <algorithm>
#include <cstdio>

namespace rff {

std::string verb(OpKind op) {
  switch (op) {
    case OpKind::kRead: return "reads";
    case OpKind::kWrite: return "writes";
    case OpKind::kReadModifyWrite: return "updates";
    case OpKind::kThreadCreate: return "creates a thread";
    case OpKind::kThreadStart: return "starts";
    case OpKind::kThreadEnd: return "ends";
    case OpKind::kThreadJoin: return "joins";
    case OpKind::kLock: return "locks";
    case OpKind::kTryLockFailed: return "fails to lock";
    case OpKind::kUnlock: return "unlocks";
    case OpKind::kReadLock: return "locks for reading";
    case OpKind::kReadUnlock: return "unlocks (reader)";
    case OpKind::kWait: return "waits on";
    case OpKind::kWake: return "is woken on";
    case OpKind::kSignal: return "signals";
    case OpKind::kBroadcast: return "broadcasts";
    case OpKind::kBarrier: return "reaches the barrier";
    case OpKind::kSemaphoreWait: return "takes from the semaphore";
    case OpKind::kSemaphorePost: return "posts the semaphore";
    case OpKind::kOnce: return "enters call_once";
    case OpKind::kFutexWait: return "waits on the futex";
    case OpKind::kFutexWake: return "wakes the futex";
    case OpKind::kAllocate: return "allocates";
    case OpKind::kFree: return "frees";
    case OpKind::kYield: return "yields";
    case OpKind::kSleep: return "sleeps";
    case OpKind::kSyscall: return "calls the system";
    case OpKind::kExit: return "ends the program";
    case OpKind::kCall: return "enters the function";
    case OpKind::kSend: return "sends to";
    case OpKind::kReceive: return "receives from";
    case OpKind::kHandOut: return "hands the loop";
    case OpKind::kAwaitEvents: return "gets the events of";
    case OpKind::kLook: return "looks at";
    default: return std::string(op_name(op));
  }
}

bool is_lifecycle(OpKind op) {
  return op == OpKind::kThreadCreate || op == OpKind::kThreadStart || op == OpKind::kThreadEnd ||
         op == OpKind::kThreadJoin;
}

std::string value_text(std::uint64_t value, std::uint64_t size) {
  auto number = static_cast<std::int64_t>(value);
  if (size == 1 || size == 2 || size == 4) {
    std::uint64_t unused = 64 - 8 * size;
    number = static_cast<std::int64_t>(value << unused) >> unused;
  }
  constexpr std::int64_t kMostDecimal = 100'000'000;
  if (number > -kMostDecimal && number < kMostDecimal) {
    return std::to_string(number);
  }
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

StoryEvent Storyteller::outline(const trace::EventInfo& e) const {
  StoryEvent s;
  s.step = e.step;
  s.thread = e.thread;
  s.event = e.event;
  s.address = e.address;
  s.scheduling_point = (e.flags & trace::kSchedulingPoint) != 0;
  s.switched = (e.flags & trace::kSwitchedHere) != 0;
  auto decision = std::lower_bound(
      trace_.decisions.begin(), trace_.decisions.end(), e.step - 1,
      [](const trace::DecisionInfo& d, std::uint64_t step) { return d.step < step; });
  if (s.switched && decision != trace_.decisions.end() && decision->step == e.step - 1) {
    s.preempted = decision->preempted != 0;
    s.previous = decision->previous;
    s.switch_step = e.step;
  }
  if (!e.event.reads() || (e.flags & trace::kNotFollowed) != 0) {
    return s;
  }
  if ((e.flags & trace::kFromUnseen) != 0) {
    s.from = From::kUnseen;
  } else if ((e.flags & trace::kReadsFromKnown) == 0) {
    s.from = From::kInitial;
  } else {
    const trace::EventInfo* source = trace_.at_step(e.reads_from);
    s.from_step = e.reads_from;
    s.from_thread = source != nullptr ? source->thread : e.source_thread;
    s.from_op = static_cast<OpKind>(e.source_op);
    s.from = s.from_thread == e.thread ? From::kSameThread : From::kOtherThread;
  }
  return s;
}

namespace {

// " = 5", " from 5 to 10", " = 0x6f00c000c130 (queue.head)". The last update of a run may have no
// result yet.
std::string values_text(const StoryEvent& s) {
  std::string pointee = s.points_to.empty() ? "" : " (" + s.points_to + ")";
  if (s.event.op != OpKind::kReadModifyWrite) {
    return s.value.empty() ? "" : " = " + s.value + pointee;
  }
  if (!s.value.empty() && s.value == s.read_value) {
    return " = " + s.value + ", unchanged" + pointee;
  }
  return (s.read_value.empty() ? "" : " from " + s.read_value) +
         (s.value.empty() ? "" : " to " + s.value + pointee);
}

// What threads do with signals, which have no object with a name; otherwise "".
std::string of_signals(const AbstractEvent& e) {
  if (e.place != LocationKind::kThread || e.base != 0 || e.offset != 1) {
    return "";
  }
  return e.op == OpKind::kSignal ? "sends a signal" : e.op == OpKind::kWake ? "takes a signal" : "";
}

}  // namespace

StoryEvent Storyteller::tell(const trace::EventInfo& e) {
  StoryEvent s = outline(e);
  s.place = debug_.place(e);
  if (s.from == From::kSameThread || s.from == From::kOtherThread) {
    const trace::EventInfo* source = trace_.at_step(e.reads_from);
    s.from_place = source != nullptr && source->event.site == e.source_site
                       ? debug_.place(*source)
                       : debug_.place(s.from_op, e.source_site);
  }
  s.what = verb(e.event.op);
  bool on_nothing = e.address == 0 && !op_accesses(e.event.op);  // sleeps, yields, ends
  if ((!is_lifecycle(e.event.op) && !on_nothing) || e.event.op == OpKind::kThreadJoin) {
    s.location = debug_.location(e);
    std::string signal = of_signals(e.event);
    s.what = !signal.empty() ? signal : s.location.empty() ? s.what : s.what + " " + s.location;
  }
  bool has_value = e.event.size <= 8 && e.event.op != OpKind::kFree;
  if (has_value && (e.flags & trace::kValueKnown) != 0) {
    s.value = value_text(e.value, e.event.size);
    // A number printed in decimal is not an address, although programs may lie that low.
    bool may_be_address = e.event.size == 8 && op_accesses(e.event.op) && s.value.starts_with("0x");
    s.points_to = may_be_address ? debug_.pointee(e.value, e.step) : "";
  }
  if (has_value && (e.flags & trace::kReadValueKnown) != 0) {
    s.read_value = value_text(e.read_value, e.event.size);
  }
  s.what += values_text(s);
  if ((e.flags & trace::kTimedOutFlag) != 0) {
    s.what += " (timed out)";
  }
  s.source = source_text(s);
  std::string further = further_sources_text(s);
  s.source += (s.source.empty() || further.empty() ? "" : " and ") + further;
  return s;
}

std::string Storyteller::further_sources_text(const StoryEvent& e) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts = {e.source};
  auto at = std::lower_bound(
      trace_.further_sources.begin(), trace_.further_sources.end(), e.step,
      [](const trace::SourceInfo& s, std::uint64_t step) { return s.step < step; });
  for (; at != trace_.further_sources.end() && at->step == e.step; ++at) {
    StoryEvent other;
    other.from = at->thread == e.thread ? From::kSameThread : From::kOtherThread;
    other.from_thread = at->thread;
    other.from_op = static_cast<OpKind>(at->op);
    const trace::EventInfo* source = trace_.at_step(at->source_step);
    other.from_place =
        source != nullptr ? debug_.place(*source) : debug_.place(other.from_op, at->site);
    std::string text = source_text(other);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(text);
    }
  }
  std::string all;
  for (std::size_t i = 1; i < texts.size() && i <= kMost; ++i) {
    all += (i == 1 ? "" : " and ") + texts[i];
  }
  return all + (texts.size() > kMost + 1 ? " and others" : "");
}

std::string Storyteller::source_text(const StoryEvent& e) {
  switch (e.from) {
    case From::kInitial: return op_accesses(e.event.op) ? "its initial value" : "";
    case From::kUnseen: return "a value that unpatched code left there";
    case From::kSameThread:
      return (e.from_op == OpKind::kFree ? "freed by itself, " : "itself, ") + e.from_place.where();
    case From::kOtherThread:
      return (e.from_op == OpKind::kFree ? "freed by " : "from ") +
             trace_.thread_name(e.from_thread) + ", " + e.from_place.where();
    default: return "";
  }
}

}  // namespace rff
