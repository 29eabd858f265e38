#include "fuzzer/debug/finding_identity.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "fuzzer/common/finding_words.h"
#include "fuzzer/debug/program_frames.h"
#include "schedule/hash.h"

namespace rff {
namespace {

// The inputs from which the parts of an identity are made.
struct Source {
  const Finding& finding;
  DebugInfo& debug;
  IdentifiedBy by;
};

std::string place_text(const Place& place, const Source& source) {
  bool functions_only = source.by == IdentifiedBy::kFunctions && !place.function.empty();
  std::string line = functions_only ? "" : source.debug.source_line(place);
  if (place.function.empty()) {
    return line.empty() ? place.where() : line;
  }
  return place.function + (line.empty() ? "" : ": " + line);
}

const FailureStack* stack_of(const Finding& f, std::uint32_t thread) {
  for (const FailureStack& s : f.failure.stacks) {
    if (s.thread == thread) {
      return &s;
    }
  }
  return nullptr;
}

// Returns the frames that represent the stack; without a stack, the place in the record.
std::vector<Place> where(const Source& s, const FailureStack* stack, CodeName otherwise) {
  std::vector<Place> places;
  if (stack != nullptr) {
    places = responsible_frames(stack->frames, s.debug);
  }
  return places.empty() ? std::vector<Place>{s.debug.place(s.finding.kind, otherwise)} : places;
}

// For kFunctions only the last place counts: which functions only forward depends on the build.
std::string places_text(const std::vector<Place>& places, const Source& source) {
  if (source.by == IdentifiedBy::kFunctions) {
    return place_text(places.back(), source);
  }
  std::string text;
  for (const Place& place : places) {
    text += (text.empty() ? "" : " | ") + place_text(place, source);
  }
  return text;
}

std::string cause_of(const Finding& f) {
  const Failure& failure = f.failure;
  if (f.kind == FindingKind::kExit) {
    return "exit status " + std::to_string(failure.facts.exit_status);
  }
  if (f.kind != FindingKind::kCrash) {
    return "";
  }
  switch (failure.facts.cause) {
    case CrashCause::kAbort: return "abort";
    case CrashCause::kException: return "uncaught " + exception_words(failure);
    default: break;
  }
  Failure without_words;
  without_words.facts = failure.facts;
  return signal_words(without_words) +
         (failure.facts.has(kCalledAddress) ? " by a call of what is no code" : "");
}

// Returns threads that wait for each other in a circle; empty if there are none.
std::set<std::uint32_t> circle(const std::vector<FailureWait>& waits) {
  auto wait_of = [&](std::uint32_t thread) {
    return std::find_if(waits.begin(), waits.end(),
                        [&](const FailureWait& w) { return w.thread == thread; });
  };
  for (const FailureWait& first : waits) {
    std::set<std::uint32_t> passed;
    std::uint32_t thread = first.thread;
    for (auto w = wait_of(thread); w != waits.end() && passed.insert(thread).second;
         w = wait_of(thread)) {
      thread = w->holder;
    }
    if (thread == first.thread && passed.contains(thread)) {
      return passed;
    }
  }
  return {};
}

// Returns the waits that are the failure itself: all other threads wait for these.
std::vector<FailureWait> decisive_waits(const Finding& f) {
  std::set<std::uint32_t> members = circle(f.failure.waits);
  auto joins = [](const FailureWait& w) { return w.op == OpKind::kThreadJoin; };
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::vector<FailureWait> waits;
    std::copy_if(f.failure.waits.begin(), f.failure.waits.end(), std::back_inserter(waits),
                 [&](const FailureWait& w) {
                   return attempt == 0   ? members.contains(w.thread)
                          : attempt == 1 ? w.holder == kNoThread && !joins(w)
                                         : !joins(w);
                 });
    if (!waits.empty()) {
      return waits;
    }
  }
  return f.failure.waits;
}

std::string deadlock_place(const Source& s, const FailureWait& w) {
  std::string text = wait_words(w.object) + " at " +
                     places_text(where(s, stack_of(s.finding, w.thread), w.site), s);
  if (w.holder != kNoThread && w.held_since != CodeName{}) {
    std::vector<Place> held = responsible_frames({w.held_since}, s.debug, true);
    text += held.empty() ? "" : ", held since " + places_text(held, s);
  }
  return text;
}

// For recursion: adds all functions, since any of them may be the one that overflows the stack.
void add_functions(const FailureStack& stack, DebugInfo& debug, std::set<std::string>& places) {
  for (CodeName code : stack.frames) {
    for (const Place& p : debug.inlined(code, DebugInfo::Code::kInstruction)) {
      if (!p.in_library()) {
        places.insert(p.function);
      }
    }
  }
}

std::set<std::string> places_of(const Source& s) {
  const Finding& f = s.finding;
  std::set<std::string> places;
  if (f.kind == FindingKind::kDeadlock) {
    for (const FailureWait& w : decisive_waits(f)) {
      places.insert(deadlock_place(s, w));
    }
  } else if (f.kind == FindingKind::kHang) {
    // The position of a thread in its loop at the end of the run is no property of the failure.
    for (const FailureWait& w : f.failure.waits) {
      places.insert(where(s, stack_of(f, w.thread), w.site).back().function);
    }
  }
  if (!places.empty()) {
    return places;
  }
  const FailureStack* stack = f.failure.stacks.empty() ? nullptr : &f.failure.stacks.front();
  if (f.failure.facts.has(kStackOverflow) && stack != nullptr) {
    add_functions(*stack, s.debug, places);
  }
  if (places.empty()) {
    places.insert(places_text(where(s, stack, f.place), s));
  }
  return places;
}

}  // namespace

std::string without_numbers(const std::string& text) {
  std::string result;
  auto is = [&](std::size_t i, auto kind) {
    return i < text.size() && kind(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    bool in_name = i > 0 && (is(i - 1, ::isalnum) || text[i - 1] == '_');
    if (in_name || !is(i, ::isdigit)) {
      result += text[i++];
      continue;
    }
    bool hexadecimal = text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x';
    i += hexadecimal ? 2 : 0;
    while (hexadecimal ? is(i, ::isxdigit) : is(i, ::isdigit)) {
      ++i;
    }
    result += '#';
  }
  return result;
}

std::string FindingIdentity::text() const {
  std::string all(finding_name(kind));
  for (const std::string* part : {&cause, &message}) {
    all += part->empty() ? "" : "\n" + *part;
  }
  for (const std::string& place : places) {
    all += "\n" + place;
  }
  return all;
}

std::uint64_t FindingIdentity::hash() const { return hash_bytes(text()); }

FindingIdentity identify(const Finding& finding, DebugInfo& debug, IdentifiedBy by) {
  FindingIdentity identity;
  identity.kind = finding.kind;
  identity.cause = cause_of(finding);
  bool words_are_a_type = finding.failure.facts.cause == CrashCause::kException;
  bool without_message = words_are_a_type || by == IdentifiedBy::kFunctions;
  identity.message = without_message ? "" : without_numbers(finding.failure.words);
  std::set<std::string> places = places_of({finding, debug, by});
  identity.places = {places.begin(), places.end()};
  return identity;
}

bool same_finding(const Finding& wanted, const Finding& seen, DebugInfo& debug) {
  if (seen.kind == FindingKind::kNone || seen.kind != wanted.kind) {
    return false;
  }
  // Files of version 2 have no stacks.
  bool only_place = !wanted.failure.version_2_text.empty();
  bool repeated = wanted.trace_hash == seen.trace_hash;
  return only_place || repeated ? wanted.same_failure(seen)
                                : identify(wanted, debug) == identify(seen, debug);
}

}  // namespace rff
