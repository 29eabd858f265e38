#include "fuzzer/explain/run_difference.h"

#include <algorithm>

#include "fuzzer/explain/divergence.h"
#include "fuzzer/explain/story.h"

namespace rff {
namespace {

using trace::EventInfo;

// A run may be the first one of a process and the other not, so addresses are compared by name.
bool same_place(const EventInfo& a, const EventInfo& b) {
  return a.thread == b.thread && a.event.id() == b.event.id() && a.exact_name == b.exact_name;
}

bool same(const EventInfo& a, const EventInfo& b) {
  return a.step == b.step && a.flags == b.flags && same_place(a, b) && a.value == b.value &&
         a.read_value == b.read_value && a.reads_from == b.reads_from &&
         a.source_site == b.source_site;
}

std::optional<DifferingValue> differing_value(const EventInfo& a, const EventInfo& b) {
  bool read = (a.flags & b.flags & trace::kReadValueKnown) != 0 && a.read_value != b.read_value;
  if (!read && ((a.flags & b.flags & trace::kValueKnown) == 0 || a.value == b.value)) {
    return std::nullopt;
  }
  return read ? DifferingValue{a.read_value, b.read_value, a.event.size}
              : DifferingValue{a.value, b.value, a.event.size};
}

std::string doing(const Trace& trace, const EventInfo* e, DebugInfo& debug) {
  return e == nullptr ? "the end of the run"
                      : trace.thread_name(e->thread) + ", " + event_text(e->event, debug);
}

void describe(RunDifference& d, const Trace& trace, const EventInfo& e, DebugInfo& debug) {
  d.thread = trace.thread_name(e.thread);
  d.operation = op_name(e.event.op);
  d.place = debug.place(e.event).where();
  d.location = is_lifecycle(e.event.op) ? "" : debug.location(e);
}

std::optional<RunDifference> difference_of_events(const ComparedRun& first,
                                                  const ComparedRun& second, DebugInfo& debug) {
  const Trace& one = first.run.trace;
  const Trace& other = second.run.trace;
  auto [a, b] = std::mismatch(one.events.begin(), one.events.end(), other.events.begin(),
                              other.events.end(), same);
  if (a == one.events.end() && b == other.events.end()) {
    return std::nullopt;
  }
  const EventInfo* e1 = a != one.events.end() ? &*a : nullptr;
  const EventInfo* e2 = b != other.events.end() ? &*b : nullptr;
  RunDifference d;
  d.event = static_cast<std::uint64_t>(a - one.events.begin()) + 1;
  std::optional<DifferingValue> value;
  if (e1 != nullptr && e2 != nullptr && same_place(*e1, *e2)) {
    value = differing_value(*e1, *e2);
  }
  const EventInfo& shown = e1 != nullptr ? *e1 : *e2;
  describe(d, e1 != nullptr ? one : other, shown, debug);
  bool content = e1 != nullptr && e2 != nullptr && same_place(*e1, *e2) &&
                 (e1->flags & e2->flags & trace::kContentKnown) != 0 && e1->value != e2->value;
  if (value) {
    d.first = value_text(value->first, value->size);
    d.second = value_text(value->second, value->size);
  } else if (content) {
    d.first = "some " + std::to_string(e1->event.size) + " bytes";
    d.second = "others";
  } else {
    d.first = doing(one, e1, debug);
    d.second = doing(other, e2, debug);
  }
  d.source = likely_source(first.run, value || content ? e1 : nullptr, shown.step, shown.thread,
                           value, first.surroundings, second.surroundings);
  return d;
}

std::string line_at(const std::string& text, std::size_t at) {
  std::size_t begin = at == 0 ? text.npos : text.rfind('\n', at - 1);
  begin = begin == text.npos ? 0 : begin + 1;
  constexpr std::size_t kMost = 80;
  std::string line = text.substr(begin, std::min(text.find('\n', begin) - begin, kMost));
  return line.empty() ? "nothing" : "'" + line + "'";
}

std::optional<RunDifference> difference_of_output(const ComparedRun& first,
                                                  const ComparedRun& second) {
  const std::string& one = first.run.output;
  const std::string& other = second.run.output;
  auto [a, b] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (a == one.end() && b == other.end()) {
    return std::nullopt;
  }
  RunDifference d;
  auto at = static_cast<std::size_t>(a - one.begin());
  d.first = line_at(one, at);
  d.second = line_at(other, at);
  d.source = likely_source(first.run, nullptr, ~std::uint64_t{0}, 0, std::nullopt,
                           first.surroundings, second.surroundings);
  return d;
}

}  // namespace

std::string RunDifference::text() const {
  std::string text = event == 0 ? "the output differs"
                                : "event " + std::to_string(event) + ": thread " + thread + ", " +
                                      operation + (location.empty() ? "" : " of " + location) +
                                      " at " + place;
  return text + ": first " + first + ", then " + second + "; likely source: " + source.words;
}

std::optional<RunDifference> difference_of(const ComparedRun& first, const ComparedRun& second,
                                           DebugInfo& debug) {
  std::optional<RunDifference> d = difference_of_events(first, second, debug);
  return d ? d : difference_of_output(first, second);
}

}  // namespace rff
