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

std::string place_text(const Place& place, DebugInfo& debug) {
  std::string line = debug.source_line(place);
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

// The frames that stand for the stack; what the record names if there is no stack.
std::vector<Place> where(const Finding& f, const FailureStack* stack, CodeName otherwise,
                         DebugInfo& debug) {
  std::vector<Place> places;
  if (stack != nullptr) {
    places = responsible_frames(stack->frames, debug);
  }
  return places.empty() ? std::vector<Place>{debug.place(f.kind, otherwise)} : places;
}

std::string places_text(const std::vector<Place>& places, DebugInfo& debug) {
  std::string text;
  for (const Place& place : places) {
    text += (text.empty() ? "" : " | ") + place_text(place, debug);
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

// Those that wait for each other in a circle; empty if none do.
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

// The waits that are the failure: the others wait for them.
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

std::string deadlock_place(const Finding& f, const FailureWait& w, DebugInfo& debug) {
  std::string text = wait_words(w.object) + " at " +
                     places_text(where(f, stack_of(f, w.thread), w.site, debug), debug);
  if (w.holder != kNoThread && w.held_since != CodeName{}) {
    std::vector<Place> held = responsible_frames({w.held_since}, debug, true);
    text += held.empty() ? "" : ", held since " + places_text(held, debug);
  }
  return text;
}

// Recursion: whichever function was the one too many.
void add_functions(const FailureStack& stack, DebugInfo& debug, std::set<std::string>& places) {
  for (CodeName code : stack.frames) {
    for (const Place& p : debug.inlined(code, DebugInfo::Code::kInstruction)) {
      if (!p.in_library()) {
        places.insert(p.function);
      }
    }
  }
}

std::set<std::string> places_of(const Finding& f, DebugInfo& debug) {
  std::set<std::string> places;
  if (f.kind == FindingKind::kDeadlock) {
    for (const FailureWait& w : decisive_waits(f)) {
      places.insert(deadlock_place(f, w, debug));
    }
  } else if (f.kind == FindingKind::kHang) {
    // Where in its loop a thread is when the run is ended is no property of the failure.
    for (const FailureWait& w : f.failure.waits) {
      places.insert(where(f, stack_of(f, w.thread), w.site, debug).back().function);
    }
  }
  if (!places.empty()) {
    return places;
  }
  const FailureStack* stack = f.failure.stacks.empty() ? nullptr : &f.failure.stacks.front();
  if (f.failure.facts.has(kStackOverflow) && stack != nullptr) {
    add_functions(*stack, debug, places);
  }
  if (places.empty()) {
    places.insert(places_text(where(f, stack, f.place, debug), debug));
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

FindingIdentity identify(const Finding& finding, DebugInfo& debug) {
  FindingIdentity identity;
  identity.kind = finding.kind;
  identity.cause = cause_of(finding);
  bool words_are_a_type = finding.failure.facts.cause == CrashCause::kException;
  identity.message = words_are_a_type ? "" : without_numbers(finding.failure.words);
  std::set<std::string> places = places_of(finding, debug);
  identity.places = {places.begin(), places.end()};
  return identity;
}

}  // namespace rff
